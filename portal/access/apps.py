from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "portal.access"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from portal.access import seats

        # The one thing that every way of signing in has in common, those of libraries included.
        user_logged_in.connect(seats.taken, dispatch_uid="access.seats")
