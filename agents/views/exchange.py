"""Builder → Hooks: all or some hooks taken away as YAML, and YAML looked at, then loaded."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.bundleform import BundleForm, as_bundle
from agents.services import Loaded, dump_bundle, etag_of, load_bundle
from agents.services.exporting import export_bundle
from hooks.engine import yamldoc
from hooks.engine.errors import Invalid
from hooks.views.bulk import selected
from portal.errors import Conflict, PreconditionFailed
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

FAULTS_SHOWN = 50


@page("read", post="read", section="hooks")
def export(request: PageRequest) -> HttpResponse:
    """Download the bundle, or of a POST the hooks that its form has chosen."""
    agent = request.frame.agent
    hooks = selected(request) if request.method == "POST" else None
    bundle = export_bundle(agent=agent, hooks=hooks, by=request.actor)
    response = HttpResponse(yamldoc.dump(bundle).encode("utf-8", "replace"), content_type="application/yaml")
    response["Content-Disposition"] = f'attachment; filename="{agent.name}-hooks.yaml"'
    return response


@page("write", post="write", section="hooks")
def load(request: PageRequest) -> HttpResponse:
    """Show what YAML would change; `do=load` changes it, if nothing else has changed since."""
    if request.method != "POST":
        return render(request, "agents/load.html", {"form": BundleForm()})
    form, sure = BundleForm(request.POST, request.FILES), request.POST.get("do") == "load"
    text, changed = form.text(), False
    try:
        if sure:
            loaded = _load(request, form, text, expected=str(form.cleaned_data.get("etag") or ""))
            return _loaded(request, loaded)
    except PreconditionFailed:
        changed = True
    except (Invalid, Conflict) as refused:
        return _refused(request, form, text, refused)
    return _preview(request, form, text, changed)


def _preview(request: PageRequest, form: BundleForm, text: str, changed: bool) -> HttpResponse:
    now = etag_of(dump_bundle(agent=request.frame.agent))
    try:
        loaded = _load(request, form, text, dry_run=True)
    except (Invalid, Conflict) as refused:
        return _refused(request, form, text, refused)
    kept = BundleForm(initial={"source": text, "etag": now, "prune": form.cleaned_data["prune"]})
    shown = {"form": kept, "loaded": loaded, "changed": changed, "unchanged": _unchanged(loaded)}
    return render(request, "agents/load.html", shown, status=409 if changed else 200)


def _load(request: PageRequest, form: BundleForm, text: str, **options: Any) -> Loaded:
    return load_bundle(
        agent=request.frame.agent,
        bundle=as_bundle(yamldoc.load(text)),
        prune=form.cleaned_data["prune"],
        by=request.actor,
        **options,
    )


def _loaded(request: PageRequest, loaded: Loaded) -> HttpResponse:
    count = len(loaded.differences)
    messages.success(
        request,
        ngettext("{count} change imported", "{count} changes imported", count).format(count=count)
        if count
        else _("Nothing was changed"),
    )
    return go(request, address(request, "hooks:index"))


def _refused(request: PageRequest, form: BundleForm, text: str, refused: Invalid | Conflict) -> HttpResponse:
    faults = refused.faults if isinstance(refused, Invalid) else []
    form.general += [f"{fault.target}: {fault.message}".removeprefix(": ") for fault in faults[:FAULTS_SHOWN]]
    if len(faults) > FAULTS_SHOWN:
        form.general.append(_("There are {count} more faults.").format(count=f"{len(faults) - FAULTS_SHOWN:,}"))
    if isinstance(refused, Conflict):
        form.general.append(refused.message)
    shown = BundleForm(initial={"source": text, "prune": form.cleaned_data["prune"]})
    shown.general = form.general
    return render(request, "agents/load.html", {"form": shown}, status=422)


def _unchanged(loaded: Loaded) -> int:
    return len(loaded.changes) - len(loaded.differences)
