from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.management.naming import agent_named
from hooks import services
from hooks.engine.errors import Invalid
from hooks.imports import PRODUCTS
from portal.access.actors import Actor
from portal.errors import Refused


class Command(BaseCommand):
    help = "Stores the hooks of another product's file as agent-level hooks, all of them or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="such as .claude/settings.json or hooks.json")
        parser.add_argument("--product", help=f"{', '.join(PRODUCTS)} (default: what path and content tell)")
        parser.add_argument("--agent", help="the agent (default: the default one)")
        parser.add_argument("--dry-run", action="store_true", help="only show what would be made")

    def handle(self, *args: Any, **options: Any) -> None:
        place, dry_run = options["file"], options["dry_run"]
        agent, by = agent_named(options["agent"]), Actor.system("manage.py import_hooks")
        try:
            source = place.read_bytes()
            report = services.import_hooks(
                agent=agent,
                source=source,
                product=options["product"],
                filename=str(place.absolute()),
                dry_run=dry_run,
                by=by,
            )
        except OSError as error:
            raise CommandError(f"{place}: {error.strerror}") from None
        except Invalid as invalid:
            lines = [f"{fault.target}: {fault.message}" if fault.target else fault.message for fault in invalid.faults]
            raise CommandError("\n".join([f"{place} has {len(lines)} fault(s):", *lines])) from None
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self._show(report, dry_run)

    def _show(self, report: services.Report, dry_run: bool) -> None:
        for hook in report.hooks:
            off = "" if hook["properties"]["enabled"] else ", disabled"
            self.stdout.write(f"created   {hook['name']} ({hook['properties']['eventType']}{off})")
        for name in report.unchanged:
            self.stdout.write(f"unchanged {name}")
        for note in report.notes:
            self.stdout.write(f"{note.level:10}{note.hook or note.path}: {note.message}")
        for notice in report.warnings:
            self.stderr.write(f"warning: {notice.target}: {notice.message}")
        would = "would be imported" if dry_run else "imported"
        self.stdout.write(f"{len(report.hooks)} hooks of {PRODUCTS[report.product].title} {would}.")
