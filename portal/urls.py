"""Every path of the portal. The one file of the project's own that knows hooks and agents."""

from django.urls import URLPattern, URLResolver, include, path, re_path

import agents.api.urls
import agents.openapi
import hooks.api.urls
import hooks.openapi
import portal.access.api
import portal.access.openapi
import portal.audit.api
import portal.audit.openapi
from portal import api, health, metrics
from portal.access import views as access
from portal.openapi import views as openapi
from portal.openapi.operations import Source

OPENAPI = Source(
    operations={
        **hooks.openapi.OPERATIONS,
        **agents.openapi.OPERATIONS,
        **portal.access.openapi.OPERATIONS,
        **portal.audit.openapi.OPERATIONS,
        **openapi.OPERATIONS,
    },
    schemas={
        **hooks.openapi.SCHEMAS,
        **agents.openapi.SCHEMAS,
        **portal.access.openapi.SCHEMAS,
        **portal.audit.openapi.SCHEMAS,
    },
)
API = [
    *hooks.api.urls.urlpatterns,
    *agents.api.urls.urlpatterns,
    *portal.access.api.urlpatterns,
    *portal.audit.api.urlpatterns,
    re_path(r"^api/schema/?$", openapi.SchemaView.as_view(source=OPENAPI), name="schema"),
    path("api/docs", openapi.to_page, name="docs"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("", include((API, "api"))),
    path("docs/api", openapi.page, name="api_page"),
    re_path(r"^api(?:/(?P<rest>.*))?$", api.nothing_here, name="nothing_here"),
    path("", include("hooks.urls")),
    path("", include("agents.urls")),
    path("", include("portal.access.urls")),
    path("sign-in/code", access.sign_in_code, name="sign_in_code"),
    # allauth finds these by their names.
    path("oidc/<str:provider_id>/login", access.openid_connect_login, name="openid_connect_login"),
    path("oidc/<str:provider_id>/callback", access.openid_connect_callback, name="openid_connect_callback"),
    path("", include("portal.audit.urls")),
    path("", include("portal.page_urls")),
]

handler400 = "portal.http.bad_request"
handler403 = "portal.http.forbidden"
handler404 = "portal.http.not_found"
handler500 = "portal.http.server_error"
