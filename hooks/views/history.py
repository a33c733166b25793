"""What a hook was: its versions, two of them compared, and one stored again."""

import json
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from hooks import services
from hooks.engine.errors import Invalid
from hooks.forms import LABELS
from hooks.models import Hook, HookVersion
from hooks.services import stored
from hooks.views.undoing import UNDO, remember
from portal.audit.diff import diff
from portal.audit.lines import Line, compare
from portal.audit.verbs import Verb
from portal.errors import NotFound, PreconditionFailed
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

LISTED = 100
OTHER_LABELS = {"eventType": "Event", "tags": "Tags", "owner": "Owner"}


@dataclass(frozen=True, slots=True)
class Change:
    label: str
    lines: list[Line]


@page("read", section="hooks")
def history(request: PageRequest, name: str) -> HttpResponse:
    agent = request.frame.agent
    versions = list(services.versions_of(agent=agent, name=name).defer("document")[:LISTED])
    newer = _chosen(request, "to", versions, versions[0].version)
    older = _chosen(request, "from", versions, newer - 1)
    both = {one.version: one for one in services.versions_of(agent=agent, name=name).filter(version__in=[older, newer])}
    shown: dict[str, Any] = {
        "hook": _hook(request, name),
        "name": versions[0].name,
        "versions": [(one, Verb(one.verb).label) for one in versions],
        "older": both.get(older),
        "newer": both.get(newer),
        "changes": changes(both[older].document, both[newer].document) if older in both and newer in both else [],
    }
    return render(request, "hooks/history.html", shown)


@page("write", post="write", section="hooks")
def restore(request: PageRequest, name: str, version: str) -> HttpResponse:
    """Ask first, with what would change; then store that version again, as a new one."""
    agent = request.frame.agent
    number = int(version) if version.isdecimal() and len(version) < 10 else 0
    kept, hook = services.find_version(agent=agent, name=name, version=number), _hook(request, name)
    trouble = ""
    if request.method == "POST":
        try:
            return _restored(request, kept, hook)
        except Invalid as invalid:
            trouble = (
                _("By today’s rules this version is no valid hook.")
                + " "
                + "; ".join(f"{fault.target} {fault.message}" for fault in invalid.faults)
            )
        except PreconditionFailed:
            trouble = _("The hook was changed in between. Look at it again before you restore.")
    current = stored.document(hook) if hook else {}
    shown: dict[str, Any] = {
        "kept": kept,
        "hook": hook,
        "trouble": trouble,
        "etag": services.etag(hook) if hook else "",
    }
    shown["changes"] = changes(current, kept.document)
    return render(request, "hooks/restore.html", shown, status=409 if trouble else 200)


def changes(before: Any, after: Any) -> list[Change]:
    """Compare two documents of hooks field by field, in the words of the form."""
    return [
        Change(_label(one["path"]), compare(_text(one["before"]), _text(one["after"]))) for one in diff(before, after)
    ]


def _restored(request: PageRequest, kept: HookVersion, hook: Hook | None) -> HttpResponse:
    expected = request.POST.get("etag") or None
    if hook and not expected:  # it was deleted when the page was made
        raise PreconditionFailed("There is one of this name again.", current=hook)
    saved = services.restore_hook(
        agent=request.frame.agent, name=kept.name, version=kept.version, expected=expected, by=request.actor
    )
    said = _("Version {version} of {hook} is in force again, as version {new}")
    same = _("Version {version} of {hook} is in force again, as before")
    said = (said if saved.changed else same).format(version=kept.version, hook=saved.hook.name, new=saved.hook.version)
    undone = saved.changed and hook is not None
    if hook and undone:
        remember(request, back=[saved.hook.name, hook.version, services.etag(saved.hook)])
    messages.success(request, said, extra_tags=UNDO if undone else "")
    return go(request, address(request, "hooks:history", saved.hook.name))


def _chosen(request: PageRequest, which: str, versions: list[HookVersion], otherwise: int) -> int:
    given = request.GET.get(which, "")
    number = int(given) if given.isdecimal() and len(given) < 10 else otherwise
    return number if any(one.version == number for one in versions) else otherwise


def _hook(request: PageRequest, name: str) -> Hook | None:
    try:
        return services.find_hook(agent=request.frame.agent, name=name)
    except NotFound:
        return None


def _label(path: str) -> str:
    last = path.rsplit(".", 1)[-1]
    return OTHER_LABELS.get(last) or LABELS.get(last, path)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
