from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from hooks import services
from portal.access.actors import Actor
from portal.audit import retention

MOST = 36_500


class Command(BaseCommand):
    help = "Deletes old evaluations with their test runs, and old audit events."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--evaluations-older-than", type=int, metavar="DAYS")
        parser.add_argument("--audit-older-than", type=int, metavar="DAYS")

    def handle(self, *args: Any, **options: Any) -> None:
        evaluations, audit = options["evaluations_older_than"], options["audit_older_than"]
        if evaluations is None and audit is None:
            raise CommandError("Name at least one of --evaluations-older-than and --audit-older-than.")
        if evaluations is not None and not 0 <= evaluations <= MOST:
            raise CommandError(f"--evaluations-older-than must be from 0 to {MOST} days.")
        if audit is not None and not 1 <= audit <= MOST:
            raise CommandError(f"--audit-older-than must be from 1 to {MOST} days.")
        by = Actor.system("manage.py purge")
        if evaluations is not None:
            self.stdout.write(f"{services.purge(days=evaluations, by=by):,} evaluations deleted.")
        if audit is not None:
            self.stdout.write(f"{retention.purge(days=audit, by=by):,} audit events deleted.")
