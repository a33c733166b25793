from datetime import timedelta
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from hooks.engine.errors import Invalid
from portal.access.actors import Actor
from portal.access.models import SCOPES
from portal.access.tokens import create_token


class Command(BaseCommand):
    help = "Makes an API token and prints it, and nothing else, on stdout."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", required=True, help="the agent that the token belongs to")
        parser.add_argument("--name", required=True, help="what people call the token")
        parser.add_argument(
            "--scope", action="append", required=True, choices=SCOPES, help="may be given more than once"
        )
        parser.add_argument("--expires-days", type=int, help="days until it expires (default: never)")

    def handle(self, *args: Any, **options: Any) -> None:
        agent = apps.get_model("agents", "Agent").objects.filter(name=options["agent"]).first()
        if agent is None:
            raise CommandError(f"There is no agent {options['agent']!r}.")
        days = options["expires_days"]
        if days is not None and not 1 <= days <= 36500:
            raise CommandError("--expires-days must be from 1 to 36500.")
        expires_at = timezone.now() + timedelta(days=days) if days else None
        by = Actor.system("manage.py create_token")
        try:
            _, secret = create_token(
                agent=agent, name=options["name"], scopes=options["scope"], expires_at=expires_at, by=by
            )
        except Invalid as invalid:
            raise CommandError(str(invalid)) from None
        self.stdout.write(secret)
