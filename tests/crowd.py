"""A crowd: as many rows as a large installation has, made fast, to see how many queries a page makes and how large it is."""

import itertools
import random
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from agents.models import Agent, CustomAgent
from hooks.engine.events import EVENTS
from hooks.engine.parsing import parse
from hooks.models import Evaluation, Hook, HookResult
from hooks.services import stored

HOOKS, CUSTOM_AGENTS, EVALUATIONS = 1_000, 200, 100_000
RESULTS_OF_EACH = 2
OUTCOMES = ("allow", "allow", "allow", "block", "error")


@transaction.atomic
def fill(
    agent: Agent, *, hooks: int = HOOKS, custom_agents: int = CUSTOM_AGENTS, evaluations: int = EVALUATIONS
) -> None:
    """Give an agent this many agent-level hooks, custom agents, and evaluations of the last ten days."""
    Hook.objects.bulk_create([_hook(agent, number) for number in range(hooks)])
    CustomAgent.objects.bulk_create(
        [
            CustomAgent(agent=agent, name=f"helper-{number}", spec={"instructions": "Help."})
            for number in range(custom_agents)
        ]
    )
    Agent.objects.filter(pk=agent.pk).update(created_at=timezone.now() - timedelta(days=30))
    agent.hooks.update(updated_at=timezone.now() - timedelta(days=20))
    keys = list(agent.hooks.order_by("pk").values_list("pk", "event", "name"))
    chance = random.Random(1)  # noqa: S311 - the same crowd each time
    _insert(Evaluation, (_evaluation(agent, number, chance) for number in range(evaluations)))
    _insert(HookResult, _results(evaluations, keys, chance))
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def _hook(agent: Agent, number: int) -> Hook:
    event = list(EVENTS)[number % 4]
    raw: dict[str, Any] = {"name": f"guard-{number}", "description": f"Watches over matter {number}. " * 4}
    raw |= (
        {"type": "prompt", "prompt": "Is it good?"}
        if number % 3 == 0
        else {"type": "command", "script": "#!/bin/bash\n"}
    )
    if EVENTS[event].tool:
        raw["matcher"] = f"Query.*|Tool{number}"
    spec = parse(raw, event=event).spec
    assert spec
    hook = Hook(agent=agent, position=number // 4)
    stored.apply(hook, spec)
    hook.enabled = number % 10 != 0
    return hook


def _evaluation(agent: Agent, number: int, chance: random.Random) -> dict[str, Any]:
    event = list(EVENTS)[number % 4]
    return {
        "id": _key(number),
        "agent_id": agent.pk,
        "kind": "runtime",
        "event": event,
        "thread_key": f"thread-{number // 20}",
        "tool_name": "Bash" if EVENTS[event].tool else "",
        "context": '{"final_output": "Done."}',
        "decision": "allow",
        "warnings": "[]",
        "duration_ms": 12.5,
        "created_at": timezone.now() - timedelta(seconds=chance.randrange(10 * 86_400)),
        **dict.fromkeys(("custom_agent", "replay_of", "sample", "request_id", "by"), ""),
        "truncated": False,
        "forced_stop": False,
    }


def _results(evaluations: int, hooks: list[tuple[int, str, str]], chance: random.Random) -> Iterator[dict[str, Any]]:
    for number in range(evaluations):
        for index in range(RESULTS_OF_EACH if hooks else 0):
            # The last tenth of the hooks never matches anything.
            key, _, name = hooks[chance.randrange(max(1, len(hooks) * 9 // 10))]
            yield {
                "evaluation_id": _key(number),
                "index": index,
                "hook_id": key,
                "name": name,
                "level": "agent",
                "position": index,
                "type": "command",
                "outcome": chance.choice(OUTCOMES),
                "delivered": True,
                "fail_mode_applied": False,
                "duration_ms": chance.random() * 29_000,
                "warnings": "[]",
                "kind": "runtime",
                "created_at": timezone.now() - timedelta(seconds=chance.randrange(10 * 86_400)),
                "content_hash": "",
                "error_code": "",
                **dict.fromkeys(("error_message", "stdout", "stderr"), '""'),
            }


def _key(number: int) -> str:
    return f"01J{number:023d}"


def _insert(model: Any, rows: Iterable[dict[str, Any]], batch: int = 5_000) -> None:
    """Insert rows of columns, past the ORM, which takes ten times as long."""
    if connection.vendor == "postgresql":
        _copy(model, iter(rows))
        return
    kept: list[list[Any]] = []
    statement = ""
    with connection.cursor() as cursor:
        for row in rows:
            if not statement:
                columns = ", ".join(connection.ops.quote_name(name) for name in row)
                places = ", ".join(["%s"] * len(row))
                statement = f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({places})"  # noqa: S608
            kept.append([_adapted(value) for value in row.values()])
            if len(kept) == batch:
                cursor.executemany(statement, kept)
                kept.clear()
        if kept:
            cursor.executemany(statement, kept)


def _copy(model: Any, rows: Iterator[dict[str, Any]]) -> None:
    first = next(rows, None)
    if first is None:
        return
    columns = ", ".join(connection.ops.quote_name(name) for name in first)
    with connection.cursor() as cursor, cursor.copy(f"COPY {model._meta.db_table} ({columns}) FROM STDIN") as copy:
        for row in itertools.chain([first], rows):
            copy.write_row(list(row.values()))


def _adapted(value: Any) -> Any:
    return connection.ops.adapt_datetimefield_value(value) if hasattr(value, "tzinfo") else value
