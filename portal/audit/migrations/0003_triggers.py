"""Triggers that refuse UPDATE and DELETE of audit events, and a step back of the end of the chain.

What they let go is what `audit_audithead.purge_through` covers, which a purge sets within its own transaction.
"""

from django.db import migrations

REFUSED = "Audit events are neither changed nor deleted."
BACK = "The end of the audit log does not go back."
EVENTS, HEAD = "audit_auditevent", "audit_audithead"

POSTGRESQL = [
    f"""
    CREATE FUNCTION audit_event_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'TRUNCATE' THEN
        IF NOT EXISTS (SELECT 1 FROM {HEAD} WHERE purge_through < sequence) THEN RETURN NULL; END IF;
      ELSIF TG_OP = 'DELETE' THEN
        IF NOT EXISTS (SELECT 1 FROM {HEAD} WHERE purge_through < OLD.sequence) THEN RETURN OLD; END IF;
      END IF;
      RAISE EXCEPTION '{REFUSED}' USING ERRCODE = 'integrity_constraint_violation';
    END $$
    """,
    f"""
    CREATE FUNCTION audit_head_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.sequence >= OLD.sequence THEN RETURN NEW; END IF;
      IF TG_OP = 'DELETE' AND OLD.purge_through >= OLD.sequence THEN RETURN OLD; END IF;
      RAISE EXCEPTION '{BACK}' USING ERRCODE = 'integrity_constraint_violation';
    END $$
    """,
    f"""
    CREATE TRIGGER audit_event_is_kept BEFORE UPDATE OR DELETE ON {EVENTS}
    FOR EACH ROW EXECUTE FUNCTION audit_event_is_kept()
    """,
    f"""
    CREATE TRIGGER audit_events_are_kept BEFORE TRUNCATE ON {EVENTS}
    FOR EACH STATEMENT EXECUTE FUNCTION audit_event_is_kept()
    """,
    f"""
    CREATE TRIGGER audit_head_goes_on BEFORE UPDATE OR DELETE ON {HEAD}
    FOR EACH ROW EXECUTE FUNCTION audit_head_goes_on()
    """,
]
SQLITE = [
    f"""
    CREATE TRIGGER audit_event_is_not_changed BEFORE UPDATE ON {EVENTS}
    BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END
    """,
    f"""
    CREATE TRIGGER audit_event_is_kept BEFORE DELETE ON {EVENTS}
    WHEN EXISTS (SELECT 1 FROM {HEAD} WHERE purge_through < OLD.sequence)
    BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END
    """,
    f"""
    CREATE TRIGGER audit_head_goes_on BEFORE UPDATE ON {HEAD} WHEN NEW.sequence < OLD.sequence
    BEGIN SELECT RAISE(ABORT, '{BACK}'); END
    """,
    f"""
    CREATE TRIGGER audit_head_is_kept BEFORE DELETE ON {HEAD} WHEN OLD.purge_through < OLD.sequence
    BEGIN SELECT RAISE(ABORT, '{BACK}'); END
    """,
]
DROPPED = {
    "postgresql": ["DROP FUNCTION audit_event_is_kept() CASCADE", "DROP FUNCTION audit_head_goes_on() CASCADE"],
    "sqlite": [
        f"DROP TRIGGER {name}"
        for name in ("audit_event_is_not_changed", "audit_event_is_kept", "audit_head_goes_on", "audit_head_is_kept")
    ],
}
MADE = {"postgresql": POSTGRESQL, "sqlite": SQLITE}


def make(apps, schema_editor):
    for statement in MADE[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def drop(apps, schema_editor):
    for statement in DROPPED[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_search_and_checks")]

    operations = [migrations.RunPython(make, drop)]
