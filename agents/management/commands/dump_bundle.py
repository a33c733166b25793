from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from agents import services
from agents.management.naming import agent_named
from hooks.engine import yamldoc


class Command(BaseCommand):
    help = "Prints all hooks of an agent and of its custom agents as one YAML document."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", help="the agent (default: the default one)")

    def handle(self, *args: Any, **options: Any) -> None:
        agent = agent_named(options["agent"])
        self.stdout.write(yamldoc.dump(services.dump_bundle(agent=agent)), ending="")
