"""The pages about custom agents: `agents:edit` is `agents.views.edit` is `templates/agents/edit.html`."""

from agents.views.editing import create, delete, edit, index
from agents.views.explaining import effective

__all__ = ["create", "delete", "edit", "effective", "index"]
