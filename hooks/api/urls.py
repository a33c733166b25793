from django.urls import path, re_path

from hooks.api import configuration, history, imports, killswitch, records, runtime, samples, testruns, threads, tiers

V2 = "api/v2"
urlpatterns = [
    path(f"{V2}/hooks/evaluate", runtime.EvaluateView.as_view(), name="evaluate"),
    path(f"{V2}/killSwitch", killswitch.KillSwitchView.as_view(), name="kill_switch"),
    path(f"{V2}/hooks/check", runtime.CheckView.as_view(), name="check"),
    path(f"{V2}/testRuns", testruns.TestRunsView.as_view(), name="test_runs"),
    path(f"{V2}/testRuns/<str:run_id>:cancel", testruns.CancelTestRunView.as_view(), name="test_run_cancel"),
    path(f"{V2}/testRuns/<str:run_id>", testruns.TestRunView.as_view(), name="test_run"),
    path(f"{V2}/sampleContexts", samples.SamplesView.as_view(), name="samples"),
    path(f"{V2}/sampleContexts/<str:name>", samples.SampleView.as_view(), name="sample"),
    path(f"{V2}/extendedAgent/hooks", configuration.HooksView.as_view(), name="hooks"),
    path(f"{V2}/extendedAgent/hooks:reorder", history.ReorderHooksView.as_view(), name="hooks_reorder"),
    path(f"{V2}/extendedAgent/hooks/<str:name>:restore", history.RestoreHookView.as_view(), name="hook_restore"),
    path(f"{V2}/extendedAgent/hooks/<str:name>", configuration.HookView.as_view(), name="hook"),
    path(f"{V2}/extendedAgent/hooks/<str:name>/versions", history.HookVersionsView.as_view(), name="versions"),
    path(f"{V2}/imports", imports.ImportsView.as_view(), name="imports"),
    path(f"{V2}/modelTiers", tiers.ModelTiersView.as_view(), name="model_tiers"),
    path(f"{V2}/modelTiers/<str:tier>", tiers.ModelTierView.as_view(), name="model_tier"),
    path(f"{V2}/evaluations", records.EvaluationsView.as_view(), name="evaluations"),
    path(f"{V2}/evaluations/<str:evaluation_id>", records.EvaluationView.as_view(), name="evaluation"),
    path("api/v1/threads/<str:thread_id>/hooks", threads.ThreadHooksView.as_view(), name="thread_hooks"),
    re_path(
        r"^api/v1/threads/(?P<thread_id>[^/]+)/hooks/(?P<name>[^/]+)/(?P<action>activate|deactivate)$",
        threads.ThreadHookView.as_view(),
        name="thread_hook",
    ),
]
