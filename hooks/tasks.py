"""What workers do: each task loads nothing itself and calls one service."""

from celery import shared_task

from hooks import services
from portal import workers

workers.show_heartbeat()


@shared_task(name="hooks.tasks.run_test")
def run_test(run_id: str) -> None:
    services.execute_test_run(run_id=run_id)


@shared_task(name="hooks.tasks.end_lost_test_runs")
def end_lost_test_runs() -> None:
    services.end_lost()
    services.resend()


@shared_task(name="hooks.tasks.purge")
def purge() -> None:
    services.purge()


@shared_task(name="hooks.tasks.roll_up")
def roll_up() -> None:
    services.roll_up()
