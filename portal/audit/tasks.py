"""What workers do for the audit log by the clock."""

from celery import shared_task

from portal.audit import checking, retention


@shared_task(name="portal.audit.tasks.check_chain")
def check_chain() -> None:
    checking.check_chain()


@shared_task(name="portal.audit.tasks.purge")
def purge() -> None:
    retention.purge()
