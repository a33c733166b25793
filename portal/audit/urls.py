"""The pages of the audit log."""

from django.urls import path

from portal.audit import views

app_name = "audit"
urlpatterns = [
    path("audit/", views.index, name="index"),
    path("audit/export", views.export, name="export"),
    path("audit/verify", views.verify, name="verify"),
    path("audit/<int:sequence>", views.event, name="event"),
]
