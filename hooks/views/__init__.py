"""The pages about hooks: `hooks:edit` is `hooks.views.edit` is `templates/hooks/edit.html`."""

from hooks.views.bulk import bulk
from hooks.views.evaluations import evaluation
from hooks.views.hooks import create, delete, edit
from hooks.views.importing import imports
from hooks.views.listing import index, switch
from hooks.views.ordering import move
from hooks.views.samples import sample_create, sample_delete, sample_edit, samples
from hooks.views.testing import cancel, run, test
from hooks.views.undoing import undo

__all__ = [
    "bulk",
    "cancel",
    "create",
    "delete",
    "edit",
    "evaluation",
    "imports",
    "index",
    "move",
    "run",
    "sample_create",
    "sample_delete",
    "sample_edit",
    "samples",
    "switch",
    "test",
    "undo",
]
