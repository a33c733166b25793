"""The pages about hooks: `hooks:edit` is `hooks.views.edit` is `templates/hooks/edit.html`."""

from hooks.views.bulk import bulk
from hooks.views.checking import check
from hooks.views.evaluations import evaluation
from hooks.views.gallery import gallery
from hooks.views.history import history, restore
from hooks.views.hooks import clone, create, delete, edit
from hooks.views.importing import imports
from hooks.views.killswitch import kill_switch
from hooks.views.listing import index, switch
from hooks.views.ordering import move
from hooks.views.overview import overview
from hooks.views.preview import preview
from hooks.views.samples import sample_create, sample_delete, sample_edit, samples
from hooks.views.testing import cancel, run, test
from hooks.views.tiers import tier_edit, tier_try, tiers
from hooks.views.undoing import undo

__all__ = [
    "bulk",
    "cancel",
    "check",
    "clone",
    "create",
    "delete",
    "edit",
    "evaluation",
    "gallery",
    "history",
    "imports",
    "index",
    "kill_switch",
    "move",
    "overview",
    "preview",
    "restore",
    "run",
    "sample_create",
    "sample_delete",
    "sample_edit",
    "samples",
    "switch",
    "test",
    "tier_edit",
    "tier_try",
    "tiers",
    "undo",
]
