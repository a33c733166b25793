"""The pages about custom agents: `agents:edit` is `agents.views.edit` is `templates/agents/edit.html`."""

from agents.views.canvas import index, show
from agents.views.changes import history
from agents.views.editing import create, create_document, delete, document, edit
from agents.views.exchange import export, load
from agents.views.explaining import effective, effective_test
from agents.views.managing import check, hooks
from agents.views.playground import guide, playground
from agents.views.playing import (
    thread,
    thread_cancel,
    thread_decide,
    thread_delete,
    thread_edit,
    thread_export,
    thread_go_on,
    thread_hook,
    thread_say,
)
from agents.views.search import search
from agents.views.testing import runs, test

__all__ = [
    "check",
    "create",
    "create_document",
    "delete",
    "document",
    "edit",
    "effective",
    "effective_test",
    "export",
    "guide",
    "history",
    "hooks",
    "index",
    "load",
    "playground",
    "runs",
    "search",
    "show",
    "test",
    "thread",
    "thread_cancel",
    "thread_decide",
    "thread_delete",
    "thread_edit",
    "thread_export",
    "thread_go_on",
    "thread_hook",
    "thread_say",
]
