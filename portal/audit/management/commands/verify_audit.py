from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.audit.checking import keep
from portal.audit.verifying import verify


class Command(BaseCommand):
    help = "Walks the chain of audit events and names the first broken one. Exit status 1 when there is one."

    def handle(self, *args: Any, **options: Any) -> None:
        walk = verify()
        keep(walk)
        if walk.broken is not None:
            told = f"Broken at event {walk.broken.sequence}: {walk.broken.message}"
            raise CommandError(f"{told} {walk.count:,} events before it hold.")
        self.stdout.write(f"All {walk.count:,} events hold.")
