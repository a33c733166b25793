from django.db import migrations

RESULTS = """
UPDATE hooks_hookresult SET agent_id =
    (SELECT agent_id FROM hooks_evaluation WHERE hooks_evaluation.id = hooks_hookresult.evaluation_id)
"""
ERRORS = """
UPDATE hooks_evaluation SET errors =
    (SELECT COUNT(*) FROM hooks_hookresult WHERE evaluation_id = hooks_evaluation.id AND outcome = 'error')
WHERE id IN (SELECT evaluation_id FROM hooks_hookresult WHERE outcome = 'error')
"""


class Migration(migrations.Migration):
    """What was recorded before has its agent and its errors too. Its source stays blank: pages then tell it from the hooks."""

    dependencies = [("hooks", "0008_evaluation_log")]
    operations = [
        migrations.RunSQL(RESULTS, migrations.RunSQL.noop),
        migrations.RunSQL(ERRORS, migrations.RunSQL.noop),
    ]
