"""Every path of the portal. The one file of the project's own that knows hooks and agents."""

from django.urls import URLPattern, URLResolver, include, path, re_path

import agents.api.urls
import hooks.api.urls
from portal import api, health

API = [*hooks.api.urls.urlpatterns, *agents.api.urls.urlpatterns]

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", include((API, "api"))),
    re_path(r"^api(?:/(?P<rest>.*))?$", api.nothing_here, name="nothing_here"),
    path("", include("hooks.urls")),
    path("", include("agents.urls")),
    path("", include("portal.page_urls")),
]

handler400 = "portal.http.bad_request"
handler403 = "portal.http.forbidden"
handler404 = "portal.http.not_found"
handler500 = "portal.http.server_error"
