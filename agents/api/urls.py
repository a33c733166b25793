from django.urls import path

from agents.api import bundle, custom

urlpatterns = [
    path("api/v2/extendedAgent/hooks:bundle", bundle.BundleView.as_view(), name="bundle"),
    path("api/v2/extendedAgent/agents", custom.CustomAgentsView.as_view(), name="agents"),
    path("api/v2/extendedAgent/agents/<str:name>", custom.CustomAgentView.as_view(), name="agent"),
]
