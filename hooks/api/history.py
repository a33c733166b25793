"""What agent-level hooks were: their versions, restored too; and the order that they run in."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from hooks import services
from hooks.engine.errors import Fault, Invalid
from hooks.engine.events import EVENTS, unknown_event
from hooks.engine.fields import shown
from hooks.services import stored
from portal.api import ApiView

VERSION_LIMIT = 2**31


class HookVersionsView(ApiView):
    """GET the versions of an agent-level hook, the newest first."""

    scopes: ClassVar = {"GET": "read"}

    def get(self, request: Request, name: str) -> Response:
        kept = services.versions_of(agent=self.agent, name=name).defer("document")
        return self.page(kept, _describe, key="-version")


class RestoreHookView(ApiView):
    """POST `{"version": N}` to store an earlier version again, as a new one. A deleted hook comes back."""

    scopes: ClassVar = {"POST": "write"}

    def post(self, request: Request, name: str) -> Response:
        version = _read(self.body(), ["version"])["version"]
        if isinstance(version, bool) or not isinstance(version, int) or not 0 < version < VERSION_LIMIT:
            raise Invalid([Fault("version", "invalid_type", f"must be the number of a version, not {shown(version)}.")])
        conditions = self.conditions()
        saved = services.restore_hook(agent=self.agent, name=name, version=version, by=self.by, **conditions)
        return self.written(
            saved.after,
            before=saved.before,
            after=saved.after,
            etag=services.etag(saved.hook),
            warnings=[],
            dry_run=conditions["dry_run"],
        )


class ReorderHooksView(ApiView):
    """POST `{"event", "names"}` to set the running order of an event's hooks; answers them in it."""

    scopes: ClassVar = {"POST": "write"}

    def post(self, request: Request) -> Response:
        raw = _read(self.body(), ["event", "names"])
        event, names, faults = raw["event"], raw["names"], []
        if not isinstance(event, str) or event not in EVENTS:
            told = unknown_event(event if isinstance(event, str) else shown(event))
            faults.append(Fault("event", "unknown_event", told))
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            faults.append(Fault("names", "invalid_type", "must be a list of names of hooks."))
        if faults:
            raise Invalid(faults)
        hooks = services.reorder_hooks(
            agent=self.agent, event=event, names=names, dry_run=self.flag("dryRun"), by=self.by
        )
        return Response({"value": [stored.envelope(hook) for hook in hooks]})


def _read(raw: Any, wanted: list[str]) -> Mapping[str, Any]:
    """Read an object with just these fields. Raises Invalid."""
    if not isinstance(raw, Mapping):
        raise Invalid([Fault("", "invalid_type", f"must be an object: {', '.join(wanted)}.")])
    faults = [Fault(key, "required", "is required.") for key in wanted if key not in raw]
    faults += [
        Fault(str(key)[:100], "unknown_field", "is no field here.") for key in list(raw)[:100] if key not in wanted
    ]
    if faults:
        raise Invalid(faults)
    return raw


def _describe(kept: Any) -> dict[str, Any]:
    return {
        "version": kept.version,
        "change": kept.verb,
        "by": kept.by,
        "at": kept.at.isoformat().replace("+00:00", "Z"),
        "contentHash": kept.content_hash,
    }
