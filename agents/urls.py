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
    path("custom-agents/<str:name>/history", views.history, name="history"),
    path("custom-agents/<str:name>/effective", views.effective, name="effective"),
    path("custom-agents/<str:name>/delete", views.delete, name="delete"),
]
