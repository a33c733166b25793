"""What every page needs: someone signed in, the agent that they work on, and the right to do what they ask."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.functional import cached_property
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh
from django_htmx.middleware import HtmxDetails

from portal.access.actors import Actor, actor_of
from portal.access.roles import agent_for, agents_for, scopes_for
from portal.errors import Forbidden, Refused
from portal.http import wants_fragment
from portal.translated import _

P = ParamSpec("P")
TITLES = {
    400: _("That did not work"),
    403: _("You may not do this"),
    404: _("Nothing here"),
    409: _("In conflict"),
    413: _("Too large"),
}


class Frame:
    """What the frame around a page shows. `section` is the entry of the sidebar that the page belongs to."""

    def __init__(self, user: User, agent: Any, section: str) -> None:
        self.user, self.agent, self.section = user, agent, section

    @cached_property
    def scopes(self) -> frozenset[str]:
        return scopes_for(self.user, self.agent)

    @cached_property
    def agents(self) -> list[Any]:
        """All that one may work on, each with the counts of the sidebar: one query."""
        hooks = self.agent.hooks.model.objects.filter(agent=OuterRef("pk"), custom_agent=None)
        samples = self.agent.samples.model.objects.filter(agent=OuterRef("pk"))
        return list(agents_for(self.user).annotate(hook_count=_count(hooks), sample_count=_count(samples)))

    @property
    def counts(self) -> dict[str, int]:
        """How many agent-level hooks and sample contexts there are, by section, for the sidebar."""
        own = next((agent for agent in self.agents if agent == self.agent), None)
        return {} if own is None else {"hooks": own.hook_count or 0, "samples": own.sample_count or 0}

    @property
    def may_edit(self) -> bool:
        return "write" in self.scopes

    @property
    def may_test(self) -> bool:
        return "evaluate" in self.scopes

    @property
    def may_administer(self) -> bool:
        return "admin" in self.scopes

    @property
    def role(self) -> str:
        return _("Admin") if self.may_administer else _("Editor") if self.may_edit else _("Viewer")


def _count(rows: QuerySet[Any]) -> Subquery:
    return Subquery(rows.order_by().values("agent").annotate(n=Count("pk")).values("n"))


class PageRequest(HttpRequest):
    """A request whose sender, agent and rights are known."""

    user: User
    htmx: HtmxDetails
    frame: Frame
    actor: Actor


View = Callable[Concatenate[PageRequest, P], HttpResponse]


def page(
    scope: str, *, post: str = "", section: str = "", methods: tuple[str, ...] = ("GET", "HEAD")
) -> Callable[[View[P]], View[P]]:
    """Make a view of a page: `scope` is what one must have to see it, `post` what one must have to change something."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def entered(request: PageRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not request.user.is_authenticated:
                return to_sign_in(request)
            try:
                request.actor = actor_of(request)
                request.frame = Frame(request.user, agent_for(request.user, request.GET.get("agent", "")), section)
                _require(request.frame, post if post and request.method == "POST" else scope)
                response = view(request, *args, **kwargs)
            except Refused as refused:
                response = refuse(request, refused.status, refused.message)
            patch_vary_headers(response, ["HX-Request"])
            return response

        allowed = [*methods, "POST"] if post else list(methods)
        entered.scopes, entered.methods = (scope, post), allowed  # type: ignore[attr-defined]
        return cast("View[P]", require_http_methods(allowed)(never_cache(gzip_page(entered))))

    return decorate


def _require(frame: Frame, scope: str) -> None:
    if scope not in frame.scopes:
        what = {"read": _("a role on it"), "evaluate": _("the role Editor"), "write": _("the role Editor")}.get(
            scope, _("the role Admin")
        )
        raise Forbidden(
            _("On the agent {agent} this needs {what}; yours is {role}. An admin can change that.").format(
                agent=repr(frame.agent.name), what=what, role=frame.role
            )
        )


def to_sign_in(request: HttpRequest) -> HttpResponse:
    """Send to the sign-in page; a fragment cannot show it, so htmx loads the whole page anew."""
    return HttpResponseClientRefresh() if wants_fragment(request) else redirect_to_login(request.get_full_path())


def go(request: HttpRequest, to: str) -> HttpResponse:
    """Redirect after a form was accepted, whoever posted it."""
    return HttpResponseClientRedirect(to) if wants_fragment(request) else HttpResponseRedirect(to, status=303)


def refuse(request: HttpRequest, status: int, message: str) -> HttpResponse:
    """Say no in words: a page, or to htmx one line that the page shows as trouble."""
    if wants_fragment(request):
        return HttpResponse(message, status=status, content_type="text/plain; charset=utf-8")
    known = hasattr(request, "frame")
    shown = {"title": TITLES.get(status, "That did not work"), "status": status, "message": message}
    return render(request, "portal/refused.html" if known else "portal/refused_bare.html", shown, status=status)
