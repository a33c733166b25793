from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.audit.chain import verify


class Command(BaseCommand):
    help = "Walks the chain of audit events and names the first broken one. Exit status 1 when there is one."

    def handle(self, *args: Any, **options: Any) -> None:
        count, broken = verify()
        if broken is not None:
            raise CommandError(f"Broken at event {broken.sequence}: {broken.message} {count:,} events before it hold.")
        self.stdout.write(f"All {count:,} events hold.")
