"""The pages about hooks: `hooks:edit` is `hooks.views.edit` is `templates/hooks/edit.html`."""

from hooks.views.bulk import bulk
from hooks.views.checking import check
from hooks.views.comparing import compare
from hooks.views.evaluations import evaluation, evaluation_replay, evaluations, evaluations_export
from hooks.views.gallery import gallery
from hooks.views.history import history, restore
from hooks.views.hooks import clone, create, delete, edit
from hooks.views.importing import imports
from hooks.views.keeping import keep
from hooks.views.killswitch import kill_switch
from hooks.views.listing import index, switch
from hooks.views.ordering import move
from hooks.views.overview import overview
from hooks.views.preview import preview
from hooks.views.running import again, cancel, run, runs
from hooks.views.samples import sample_create, sample_delete, sample_edit, samples
from hooks.views.testing import test, test_draft, test_evaluations
from hooks.views.tiers import tier_edit, tier_try, tiers
from hooks.views.undoing import undo

__all__ = [
    "again",
    "bulk",
    "cancel",
    "check",
    "clone",
    "compare",
    "create",
    "delete",
    "edit",
    "evaluation",
    "evaluation_replay",
    "evaluations",
    "evaluations_export",
    "gallery",
    "history",
    "imports",
    "index",
    "keep",
    "kill_switch",
    "move",
    "overview",
    "preview",
    "restore",
    "run",
    "runs",
    "sample_create",
    "sample_delete",
    "sample_edit",
    "samples",
    "switch",
    "test",
    "test_draft",
    "test_evaluations",
    "tier_edit",
    "tier_try",
    "tiers",
    "undo",
]
