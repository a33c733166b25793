"""The Celery application: `celery -A portal worker`."""

import os
from typing import Any

from celery import Celery, bootsteps
from celery.beat import EmbeddedService
from click import Option

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


class Clock(bootsteps.StartStopStep):
    """Runs the schedule in a thread of the worker.

    Celery's own `--beat` forks a process for it, which takes 50 MB and outlives a worker that is killed.
    """

    def __init__(self, parent: Any, clock: bool = False, **options: Any) -> None:
        super().__init__(parent, **options)
        self.enabled = clock

    def create(self, parent: Any) -> Any:
        return EmbeddedService(parent.app, thread=True, schedule_filename=parent.schedule_filename)


app.user_options["worker"].add(Option(("--clock",), is_flag=True, help="Also run what is scheduled."))
app.steps["worker"].add(Clock)
