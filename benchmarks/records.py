"""The evaluation log with a million evaluations: how long its pages take, on SQLite unless TEST_DATABASE_URL names another.

python -m benchmarks.records [EVALUATIONS [ROUNDS]]
"""

import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import django

EVALUATIONS, DAYS, LIMIT_MS, BATCH = 1_000_000, 90, 100, 10_000
KINDS = ("runtime",) * 995 + ("check", "test", "test", "replay", "playground")
EVENTS = ("PostToolUse",) * 60 + ("PreToolUse",) * 25 + ("Stop",) * 14 + ("Start",)
HELPERS = [""] * 50 + [f"helper-{number}" for number in range(20)]
HOOKS = [f"hook-{number}" for number in range(40)]
ERRORS = ("timeout", "exit_code", "model_error")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.conf import settings
    from django.test import utils

    settings.DATA.mkdir(mode=0o700, exist_ok=True)
    settings.STATIC_ROOT.mkdir(exist_ok=True)
    utils.setup_test_environment()
    old = utils.setup_databases(verbosity=0, interactive=False)
    numbers = [int(word) for word in sys.argv[1:]]
    try:
        measure(numbers[0] if numbers else EVALUATIONS, numbers[1] if len(numbers) > 1 else 5)
    finally:
        utils.teardown_databases(old, verbosity=0)


def fill(agent: Any, evaluations: int) -> None:
    """Store so many evaluations of one agent with two results each, spread over ninety days, the rarest things among them."""
    from django.db import connection, transaction

    from hooks.models import Evaluation, HookResult

    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous=OFF")
            cursor.execute("PRAGMA cache_size=-400000")
    chance = random.Random(1)  # noqa: S311 - the same rows each time
    patterns = [_pattern(agent, chance) for _ in range(20_000)]
    made = timestamps(evaluations)
    for first in range(0, evaluations, BATCH):
        rows, results = [], []
        for number in range(first, min(first + BATCH, evaluations)):
            evaluation, hooks = patterns[chance.randrange(len(patterns))]
            key, moment = next(made)
            rows.append((key, f"thread-{number // 40}", moment, *evaluation))
            results += [(key, moment, *hook) for hook in hooks]
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(insertion(Evaluation, EVALUATION), rows)
            cursor.executemany(insertion(HookResult, RESULT), results)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "PRAGMA optimize")


def insertion(model: Any, columns: tuple[str, ...]) -> str:
    from django.db import connection

    names = ", ".join(connection.ops.quote_name(name) for name in columns)
    return f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({', '.join(['%s'] * len(columns))})"  # noqa: S608


def timestamps(count: int) -> Iterator[tuple[str, Any]]:
    """Make ids of evenly spread moments, with the moment as the database takes it."""
    from django.db import connection
    from ulid import ULID

    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    step = timedelta(days=DAYS) / count
    for number in range(count):
        moment = now - step * (count - number)
        key = str(ULID(int(moment.timestamp() * 1000).to_bytes(6, "big") + number.to_bytes(10, "big")))
        yield key, connection.ops.adapt_datetimefield_value(moment)


EVALUATION = (
    "id",
    "thread_key",
    "created_at",
    "agent_id",
    "kind",
    "event",
    "custom_agent",
    "tool_name",
    "context",
    "decision",
)
EVALUATION += (
    "reason",
    "source",
    "errors",
    "source_hook",
    "source_error",
    "warnings",
    "duration_ms",
    "replay_of",
    "sample",
)
EVALUATION += ("request_id", "by", "truncated", "forced_stop", "hooks_off")
RESULT = (
    "evaluation_id",
    "created_at",
    "agent_id",
    "index",
    "name",
    "kind",
    "outcome",
    "error_code",
    "level",
    "position",
    "type",
)
RESULT += (
    "delivered",
    "fail_mode_applied",
    "duration_ms",
    "warnings",
    "content_hash",
    "error_message",
    "stdout",
    "stderr",
)
PLAIN_EVALUATION = ("", "", "[]", 12.5, "", "", "", "", False, False, False)
PLAIN_RESULT = ("agent", 0, "command", False, False, 12.0, "[]", "", '""', '""', '""')


def _pattern(agent: Any, chance: random.Random) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Make what an evaluation and its two results are, but for their id and time."""
    event, kind = chance.choice(EVENTS), chance.choice(KINDS)
    refusal, quiet = ("deny", "none") if event == "PreToolUse" else ("block", "allow")
    outcomes = chance.choices(("allow", refusal, "error", "skipped"), (950, 30, 15, 5), k=2)
    refused = refusal in outcomes and event != "Start"
    context = {"hook_event_name": event, "tool_input": {"command": "kubectl get pods"}, "tool_result": "x" * 300}
    tool = "Bash" if event.endswith("ToolUse") else ""
    told = (refusal, '"Not as root."', "hook") if refused else (quiet, None, "no_objection")
    of = (agent.pk, kind, event, chance.choice(HELPERS), tool, json.dumps(context), *told, outcomes.count("error"))
    results = [
        (agent.pk, index, _hook(chance), kind, one, *_error(one, chance), *PLAIN_RESULT)
        for index, one in enumerate(outcomes)
    ]
    return (*of, *PLAIN_EVALUATION), results


def _hook(chance: random.Random) -> str:
    return "rare-hook" if chance.random() < 0.0001 else chance.choice(HOOKS)


def _error(outcome: str, chance: random.Random) -> tuple[str]:
    return (chance.choice(ERRORS) if outcome == "error" else "",)


def queries(evaluations: int) -> list[str]:
    now = datetime.now(UTC)
    month, week = (f"{now - timedelta(days=days):%Y-%m-%d}" for days in (60, 53))
    return [
        "",
        "event=Start",
        "event=Stop",
        "decision=allow",
        "decision=block",
        "decision=deny",
        "decision=ask",
        "outcome=error",
        "outcome=skipped",
        "outcome=allow",
        "kind=runtime",
        "kind=replay",
        "error=yes",
        "hook=hook-1",
        "hook=rare-hook",
        "hook=gone",
        "customAgent=helper-7",
        "customAgent=Gone",
        f"threadId=thread-{evaluations // 80}",
        f"until={month}",
        f"since={month}&until={week}",
        "event=Start&decision=block",
        "event=Stop&decision=block",
        "event=PreToolUse&decision=deny&kind=replay",
        "hook=hook-1&outcome=error",
        "hook=hook-1&outcome=skipped&event=Start",
        "hook=hook-1&decision=ask",
        "error=yes&event=Start",
        "customAgent=helper-7&decision=block",
        f"customAgent=helper-7&event=Stop&since={month}&until={week}",
        f"kind=replay&until={month}&event=Stop",
        f"decision=block&event=Stop&customAgent=helper-3&kind=runtime&since={month}",
    ]


def measure(evaluations: int, rounds: int) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from agents.services import create_agent
    from portal.access.tokens import create_token
    from tests.shell import ALL, BY, Caller, person

    agent = create_agent(name="sre-agent", is_default=True, by=BY)
    _, secret = create_token(agent=agent, name="many", scopes=ALL, by=BY)
    api, user = Caller(secret), person("bob", agent, "editor")
    begun = time.perf_counter()
    fill(agent, evaluations)
    say(
        f"{connection.vendor}: {evaluations:,} evaluations made in {time.perf_counter() - begun:.0f} s; median of {rounds}"
    )
    page = Caller()
    page.client.force_login(user)
    thousandth = cursor_of(api, 1000)
    calls: dict[str, Callable[[], Any]] = {}
    for query in queries(evaluations):
        calls[f"API  {query or 'first page'}"] = lambda query=query: api.get(f"/api/v2/evaluations?{query}&top=50")
        calls[f"page {query or 'first page'}"] = lambda query=query: page.get(
            f"/evaluations/?{query}", accept="text/html"
        )
    calls["API  page 1,000"] = lambda: api.get(f"/api/v2/evaluations?top=50&cursor={thousandth}")
    calls["page page 1,000"] = lambda: page.get(f"/evaluations/?cursor={thousandth}", accept="text/html")
    slow = 0
    for name, call in calls.items():
        with CaptureQueriesContext(connection) as asked:
            status, count = call().status, len(asked)
        taken = median(timed(call) for _ in range(rounds)) * 1000
        slow += taken > LIMIT_MS
        say(f"{name:72} {status} {taken:7.1f} ms  {count:2} queries{'  TOO SLOW' if taken > LIMIT_MS else ''}")
    say(f"{slow} of {len(calls)} over {LIMIT_MS} ms")
    export(api, evaluations)


def cursor_of(api: Any, page: int) -> str:
    """Find the cursor after so many pages of fifty, by the longest steps that there are."""
    from portal.paging import written

    left, cursor = page * 50, ""
    while left > 0:
        found = api.get(f"/api/v2/evaluations?top={min(left, 1000)}{cursor and f'&cursor={cursor}'}").body["value"]
        if not found:
            break
        left, cursor = left - len(found), written([found[-1]["id"]])
    return cursor


def export(api: Any, evaluations: int) -> None:
    """Read a tenth of the log as JSON Lines, and tell how much memory that took."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun, count, size = time.perf_counter(), 0, 0
    since = datetime.now(UTC) - timedelta(days=DAYS / 10)
    url = f"/api/v2/evaluations?format=jsonl&since={since:%Y-%m-%dT%H:%M:%SZ}"
    for piece in api.client.get(url, headers=api.headers).streaming_content:
        count, size = count + 1, size + len(piece)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    taken = time.perf_counter() - begun
    say(f"export: {count:,} lines, {size / 1e6:.0f} MB in {taken:.0f} s; the process grew by {grown:.0f} MB")


def timed(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
