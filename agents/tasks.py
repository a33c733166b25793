"""What workers do for threads: each task loads nothing itself and calls one service."""

from celery import shared_task

from agents.playground import retention, work


@shared_task(name="agents.tasks.play")
def play(thread_id: int) -> None:
    work.play(thread_id=thread_id)


@shared_task(name="agents.tasks.end_lost_threads")
def end_lost_threads() -> None:
    work.end_lost()
    work.resend()


@shared_task(name="agents.tasks.purge_threads")
def purge_threads() -> None:
    retention.purge()
