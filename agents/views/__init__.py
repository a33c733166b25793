"""The pages about custom agents: `agents:edit` is `agents.views.edit` is `templates/agents/edit.html`."""

from agents.views.editing import create, delete, edit, index
from agents.views.explaining import effective
from agents.views.managing import hooks

__all__ = ["create", "delete", "edit", "effective", "hooks", "index"]
