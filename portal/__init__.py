"""The project: what is neither a hook nor an agent."""

from portal.celery import app as celery_app

__all__ = ["celery_app"]
