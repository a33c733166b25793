"""Pages about who may do what."""

from django.urls import path

from portal.access import views

app_name = "access"
urlpatterns = [
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/create", views.token_create, name="token_create"),
    path("tokens/<int:number>/revoke", views.token_revoke, name="token_revoke"),
]
