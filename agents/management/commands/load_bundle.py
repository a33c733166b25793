from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents import services
from agents.management.naming import agent_named
from hooks.engine import strictjson, yamldoc
from hooks.engine.errors import Invalid
from portal.access.actors import Actor
from portal.errors import Refused


class Command(BaseCommand):
    help = "Stores all hooks and custom agents of a YAML bundle, or none of them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.yaml")
        parser.add_argument("--agent", help="the agent (default: the default one)")
        parser.add_argument("--dry-run", action="store_true", help="only show what would change")

        parser.add_argument("--prune", action="store_true", help="delete what the bundle lacks; otherwise that stays")

    def handle(self, *args: Any, **options: Any) -> None:
        agent = agent_named(options["agent"])
        by = Actor.system("manage.py load_bundle")
        try:
            bundle = yamldoc.load(options["file"].read_bytes())
            how = {"prune": options["prune"], "dry_run": options["dry_run"]}
            loaded = services.load_bundle(agent=agent, bundle=bundle, by=by, **how)
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from None
        except Invalid as invalid:
            lines = [f"{fault.target}: {fault.message}" if fault.target else fault.message for fault in invalid.faults]
            raise CommandError("\n".join([f"{options['file']} has {len(lines)} fault(s):", *lines])) from None
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        for notice in loaded.warnings:
            self.stderr.write(f"warning: {notice.target}: {notice.message}")
        self._show(loaded, options["dry_run"])

    def _show(self, loaded: services.Loaded, dry_run: bool) -> None:
        for change in loaded.changes:
            self.stdout.write(f"{change['action']:10}{change['resource']}")
            for one in change["changes"] if dry_run else ():
                self.stdout.write(f"    {one['path']}")
                for sign, side in (("-", one["before"]), ("+", one["after"])):
                    if side is not None:
                        self.stdout.write(f"      {sign} {strictjson.dumps(side)[:300]}")
        changed = len(loaded.differences)
        would = "would change" if dry_run else "changed"
        self.stdout.write(f"{changed} of {len(loaded.changes)} {would}.")
