

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0002_hooks_off'),
        ('hooks', '0006_evaluations_without_hooks'),
    ]

    operations = [
        migrations.AddField(
            model_name='testrun',
            name='custom_agent',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='testrun',
            name='name',
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddIndex(
            model_name='testrun',
            index=models.Index(fields=['hook', '-id'], name='test_runs_of_a_hook'),
        ),
        migrations.AddIndex(
            model_name='testrun',
            index=models.Index(fields=['agent', 'custom_agent', 'name', '-id'], name='test_runs_by_name'),
        ),
    ]
