from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from hooks import services
from portal.access.actors import Actor


class Command(BaseCommand):
    help = "Deletes old evaluations and test runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--evaluations-older-than", type=int, required=True, metavar="DAYS")

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["evaluations_older_than"]
        if not 0 <= days <= 36500:
            raise CommandError("--evaluations-older-than must be from 0 to 36500 days.")
        count = services.purge(days=days, by=Actor.system("manage.py purge"))
        self.stdout.write(f"{count:,} evaluations deleted.")
