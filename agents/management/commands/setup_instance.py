from argparse import BooleanOptionalAction
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from agents.services import instance
from portal import env


class Command(BaseCommand):
    help = "Makes the admin, the agent and, with --demo, demo content, each where it is not there yet."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action=BooleanOptionalAction, default=True)

    def handle(self, *args: Any, **options: Any) -> None:
        made_up = instance.ensure_admin(env.text("PORTAL_ADMIN_PASSWORD"))
        instance.ensure_content(demo=options["demo"])
        if made_up:
            self.stdout.write(f"Sign in as {instance.ADMIN} with the password {made_up} (shown this once).")
