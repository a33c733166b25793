"""Pages. What programs call is in `hooks/api`."""

from django.urls import path

from hooks import views

app_name = "hooks"
urlpatterns = [
    path("overview", views.overview, name="overview"),
    path("hooks/", views.index, name="index"),
    path("hooks/create", views.create, name="create"),
    path("hooks/import", views.imports, name="imports"),
    path("hooks/bulk", views.bulk, name="bulk"),
    path("hooks/kill-switch", views.kill_switch, name="kill_switch"),
    path("hooks/undo", views.undo, name="undo"),
    path("hooks/templates", views.gallery, name="gallery"),
    path("hooks/check", views.check, name="check"),
    path("hooks/preview", views.preview, name="preview"),
    path("hooks/test", views.test_draft, name="test_draft"),
    path("hooks/test/evaluations", views.test_evaluations, name="test_evaluations"),
    path("hooks/<str:name>/edit", views.edit, name="edit"),
    path("hooks/<str:name>/clone", views.clone, name="clone"),
    path("hooks/<str:name>/delete", views.delete, name="delete"),
    path("hooks/<str:name>/switch", views.switch, name="switch"),
    path("hooks/<str:name>/move", views.move, name="move"),
    path("hooks/<str:name>/test", views.test, name="test"),
    path("hooks/<str:name>/test-runs", views.runs, name="runs"),
    path("hooks/<str:name>/history", views.history, name="history"),
    path("hooks/<str:name>/versions/<str:version>/restore", views.restore, name="restore"),
    path("test-runs/<str:run_id>", views.run, name="run"),
    path("test-runs/<str:run_id>/cancel", views.cancel, name="cancel"),
    path("test-runs/<str:run_id>/again", views.again, name="again"),
    path("test-runs/<str:run_id>/keep", views.keep, name="keep"),
    path("test-runs/<str:run_id>/compare", views.compare, name="compare"),
    path("evaluations/", views.evaluations, name="evaluations"),
    path("evaluations/export", views.evaluations_export, name="evaluations_export"),
    path("evaluations/<str:evaluation_id>", views.evaluation, name="evaluation"),
    path("evaluations/<str:evaluation_id>/replay", views.evaluation_replay, name="evaluation_replay"),
    path("samples/", views.samples, name="samples"),
    path("samples/create", views.sample_create, name="sample_create"),
    path("samples/<str:name>/edit", views.sample_edit, name="sample_edit"),
    path("samples/<str:name>/delete", views.sample_delete, name="sample_delete"),
    path("model-tiers/", views.tiers, name="tiers"),
    path("model-tiers/<str:tier>/edit", views.tier_edit, name="tier_edit"),
    path("model-tiers/<str:tier>/try", views.tier_try, name="tier_try"),
]
