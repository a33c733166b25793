from django.urls import path

from agents.api import bundle, custom, threads

urlpatterns = [
    path("api/v2/extendedAgent/hooks:bundle", bundle.BundleView.as_view(), name="bundle"),
    path("api/v2/extendedAgent/agents", custom.CustomAgentsView.as_view(), name="agents"),
    path("api/v2/extendedAgent/agents/<str:name>", custom.CustomAgentView.as_view(), name="agent"),
    path("api/v1/threads", threads.ThreadsView.as_view(), name="threads"),
    path("api/v1/threads/<str:thread_id>", threads.ThreadView.as_view(), name="thread"),
]
