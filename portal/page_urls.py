"""Pages that belong to no application: signing in and out, the way home, the theme, the language."""

from django.urls import path

from portal import views

urlpatterns = [
    path("", views.home, name="home"),
    path("sign-in", views.sign_in, name="sign_in"),
    path("sign-out", views.sign_out, name="sign_out"),
    path("theme", views.theme, name="theme"),
    path("language", views.language, name="language"),
]
