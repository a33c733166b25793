from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.audit.generating import generate


class Command(BaseCommand):
    help = "Appends made-up audit events with a chain that holds, to measure with. They cannot be taken back but by a purge."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", required=True)
        parser.add_argument("--count", type=int, required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        if not apps.get_model("agents", "Agent").objects.filter(name=options["agent"]).exists():
            raise CommandError(f"There is no agent {options['agent']!r}.")
        if not 1 <= options["count"] <= 10_000_000:
            raise CommandError("--count must be from 1 to 10,000,000.")
        for written in generate(agent_name=options["agent"], count=options["count"]):
            if written % 50_000 == 0 or written == options["count"]:
                self.stdout.write(f"{written:,} events")
