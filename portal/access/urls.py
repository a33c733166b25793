"""Pages about who may do what."""

from django.urls import path

from portal.access import views

app_name = "access"
urlpatterns = [
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/create", views.token_create, name="token_create"),
    path("tokens/<int:number>/revoke", views.token_revoke, name="token_revoke"),
    path("members/", views.members, name="members"),
    path("members/invite", views.invite, name="invite"),
    path("members/invites/<int:number>/withdraw", views.invite_withdraw, name="invite_withdraw"),
    path("members/<int:number>/role", views.member_role, name="member_role"),
    path("members/<int:number>/remove", views.member_remove, name="member_remove"),
    path("members/<int:number>/deactivate", views.member_deactivate, name="member_deactivate"),
    path("members/<int:number>/reactivate", views.member_reactivate, name="member_reactivate"),
    path("join/<str:secret>", views.join, name="join"),
    path("account/", views.account, name="account"),
    path("account/password", views.password, name="password"),
    path("account/second-factor", views.second_factor, name="second_factor"),
    path("account/second-factor/off", views.second_factor_off, name="second_factor_off"),
    path("members/<int:number>/second-factor", views.member_second_factor, name="member_second_factor"),
    path("account/sessions/<int:number>/end", views.session_end, name="session_end"),
    path("account/sign-out-everywhere", views.sign_out_everywhere, name="sign_out_everywhere"),
]
