"""The pages about hooks: `hooks:edit` is `hooks.views.edit` is `templates/hooks/edit.html`."""

from hooks.views.hooks import create, delete, edit, index, switch
from hooks.views.importing import imports
from hooks.views.samples import sample_create, sample_delete, sample_edit, samples
from hooks.views.testing import cancel, run, test

__all__ = [
    "cancel",
    "create",
    "delete",
    "edit",
    "imports",
    "index",
    "run",
    "sample_create",
    "sample_delete",
    "sample_edit",
    "samples",
    "switch",
    "test",
]
