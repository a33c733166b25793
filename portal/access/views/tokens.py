"""Settings → API tokens: what programs come in with."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from portal.access.models import ApiToken
from portal.access.tokenform import TokenForm
from portal.access.tokens import create_token, ended, faults_of, find_token, in_use, revoke_token
from portal.http import wants_fragment
from portal.pages import PageRequest, go, page
from portal.templatetags.pages import address

PER_PAGE = 50


@page("admin", section="tokens")
def tokens(request: PageRequest) -> HttpResponse:
    rows = request.frame.agent.tokens.all()
    lists = {"in-use": in_use(rows), "ended": ended(rows)}
    shown = request.GET.get("show") if request.GET.get("show") in lists else "in-use"
    found = Paginator(lists[str(shown)], PER_PAGE).get_page(request.GET.get("page"))
    counts = {name: found.paginator.count if name == shown else many.count() for name, many in lists.items()}
    return render(request, "access/tokens.html", {"found": found, "shown": shown, "counts": counts})


@page("admin", post="admin", section="tokens")
@sensitive_variables("secret")
def token_create(request: PageRequest) -> HttpResponse:
    """Make a token. The answer itself shows it: a redirect could do so only by storing it somewhere."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    token, secret = None, ""
    if request.method == "POST":
        values = form.values()
        form.blame(faults_of(**values))
        if not form.errors:
            token, secret = create_token(agent=request.frame.agent, by=request.actor, **values)
    template = "access/_token_form.html" if wants_fragment(request) else "access/token_create.html"
    shown = {"form": form, "token": token, "secret": secret}
    return render(request, template, shown, status=422 if form.errors else 200)


@page("admin", post="admin", section="tokens")
def token_revoke(request: PageRequest, number: int) -> HttpResponse:
    token: ApiToken = find_token(agent=request.frame.agent, number=number)
    if request.method == "POST":
        revoke_token(token=token, by=request.actor)
        messages.success(request, _("%(name)s revoked") % {"name": token.name})
        return go(request, address(request, "access:tokens"))
    return render(request, "access/token_revoke.html", {"token": token})
