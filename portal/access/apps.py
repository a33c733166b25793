from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "portal.access"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in, user_logged_out

        from portal.access import seats

        # The one thing that every way of signing in has in common, those of libraries included.
        user_logged_in.connect(seats.taken, dispatch_uid="access.seats")
        user_logged_out.connect(seats.given_up, dispatch_uid="access.seats")
