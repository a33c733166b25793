"""What somebody with the database's password can do to the audit log: first the triggers go, then the rows."""

from collections.abc import Sequence
from importlib import import_module

from django.db import connection

triggers = import_module("portal.audit.migrations.0003_triggers")


def tamper(*statements: str) -> None:
    """Run statements without triggers, as one does who owns the database."""
    run(triggers.DROPPED[connection.vendor])
    run(statements)
    run(triggers.MADE[connection.vendor])


def run(statements: Sequence[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
