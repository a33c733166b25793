"""Hooks and evaluations by a few letters, for the quick search: bounded, and by indexes only."""

from typing import Any

from django.db.models import Case, IntegerField, Q, QuerySet, When

from hooks.models import Evaluation, Hook

ID_LENGTH = 26
LAST = "\U0010ffff"


def named_hooks(*, agent: Any, text: str, limit: int) -> list[Hook]:
    """Agent-level hooks and those of custom agents whose name holds the text; those that begin with it come first."""
    hooks: QuerySet[Hook] = agent.hooks.filter(Q(name__icontains=text) | Q(description__icontains=text)).exclude(
        name=""
    )
    first = Case(
        When(name__istartswith=text, then=0), When(name__icontains=text, then=1), default=2, output_field=IntegerField()
    )
    ordered = hooks.annotate(first=first).order_by("first", "name", "pk")
    return list(ordered.select_related("custom_agent").defer("options")[:limit])


def known_evaluations(*, agent: Any, text: str, limit: int) -> list[Evaluation]:
    """The newest evaluations whose id, or whose thread, begins with the text."""
    shown = ("event", "tool_name", "decision", "thread_key", "created_at", "kind")
    kept = agent.evaluations.only(*shown)
    found: list[Evaluation] = []
    if text.isalnum() and text.isascii() and len(text) <= ID_LENGTH:
        key = text.upper()
        found += kept.filter(pk__gte=key, pk__lt=key + "~").order_by("-pk")[:limit]
    if len(found) < limit:
        # A range, which the index serves; startswith, since a database may sort otherwise than Unicode.
        threads = kept.filter(thread_key__gte=text, thread_key__lt=text + LAST, thread_key__startswith=text)
        found += [one for one in threads.order_by("thread_key", "-pk")[:limit] if one not in found]
    return found[:limit]
