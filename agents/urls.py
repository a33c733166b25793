"""Pages. What programs call is in `agents/api`."""

from django.urls import path

from agents import views

app_name = "agents"
urlpatterns = [
    path("search", views.search, name="search"),
    path("hooks/export", views.export, name="export"),
    path("hooks/import-yaml", views.load, name="load"),
    path("custom-agents/", views.index, name="index"),
    path("custom-agents/create", views.create, name="create"),
    path("custom-agents/create-yaml", views.create_document, name="create_document"),
    path("custom-agents/<str:name>/", views.show, name="show"),
    path("custom-agents/<str:name>/edit", views.edit, name="edit"),
    path("custom-agents/<str:name>/yaml", views.document, name="document"),
    path("custom-agents/<str:name>/hooks", views.hooks, name="hooks"),
    path("custom-agents/<str:name>/hooks/check", views.check, name="check"),
    path("custom-agents/<str:name>/hooks/test", views.test, name="test"),
    path("custom-agents/<str:name>/test-runs", views.runs, name="runs"),
    path("custom-agents/<str:name>/history", views.history, name="history"),
    path("custom-agents/<str:name>/effective", views.effective, name="effective"),
    path("custom-agents/<str:name>/effective/test", views.effective_test, name="effective_test"),
    path("custom-agents/<str:name>/delete", views.delete, name="delete"),
    path("playground/", views.playground, name="playground"),
    path("playground/example", views.guide, name="guide"),
    path("playground/<int:pk>/", views.thread, name="thread"),
    path("playground/<int:pk>/say", views.thread_say, name="thread_say"),
    path("playground/<int:pk>/decide", views.thread_decide, name="thread_decide"),
    path("playground/<int:pk>/go-on", views.thread_go_on, name="thread_go_on"),
    path("playground/<int:pk>/cancel", views.thread_cancel, name="thread_cancel"),
    path("playground/<int:pk>/hooks/<str:name>", views.thread_hook, name="thread_hook"),
    path("playground/<int:pk>/edit", views.thread_edit, name="thread_edit"),
    path("playground/<int:pk>/delete", views.thread_delete, name="thread_delete"),
    path("playground/<int:pk>/export", views.thread_export, name="thread_export"),
]
