from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from agents.management.naming import agent_named
from agents.services.exporting import export_bundle
from hooks.engine import yamldoc
from portal.access.actors import Actor


class Command(BaseCommand):
    help = "Prints all hooks of an agent and of its custom agents as one YAML document."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", help="the agent (default: the default one)")

    def handle(self, *args: Any, **options: Any) -> None:
        agent = agent_named(options["agent"])
        self.stdout.write(yamldoc.dump(export_bundle(agent=agent, by=Actor.system("manage.py dump_bundle"))), ending="")
