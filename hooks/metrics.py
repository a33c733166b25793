"""What is counted of evaluations, and what stands of sandboxes and test runs. No name of an agent, hook or tool gets in here."""

from collections.abc import Iterator

from django.db.models import Count
from prometheus_client import Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from hooks import runtime
from hooks.engine.sandbox.protocol import LANGUAGES
from hooks.models import Evaluation, HookResult, TestRun

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
WAITING = (TestRun.Status.QUEUED, TestRun.Status.RUNNING)

evaluations = Counter("hooks_evaluations", "Events put through hooks.", ["kind", "event", "decision"])
evaluation_seconds = Histogram("hooks_evaluation_seconds", "Time of the hooks of an event.", ["kind"], buckets=SECONDS)
results = Counter("hooks_results", "What single hooks said.", ["type", "outcome", "error"])
result_seconds = Histogram("hooks_result_seconds", "Time of a single hook.", ["type"], buckets=SECONDS)
model_calls = Counter("hooks_model_verdicts", "Verdicts asked of a model.", ["tier", "outcome"])
model_tokens = Counter("hooks_model_tokens", "Tokens that models counted.", ["tier", "direction"])


def count(evaluation: Evaluation, found: list[HookResult]) -> None:
    """Count an evaluation that was just run."""
    evaluations.labels(evaluation.kind, evaluation.event, evaluation.decision).inc()
    evaluation_seconds.labels(evaluation.kind).observe(evaluation.duration_ms / 1000)
    for one in found:
        results.labels(one.type, one.outcome, one.error_code).inc()
        result_seconds.labels(one.type).observe(one.duration_ms / 1000)
        if call := one.model_call:
            tier = call["tier"] or "none"
            model_calls.labels(tier, one.outcome).inc()
            model_tokens.labels(tier, "in").inc(call["promptTokens"])
            model_tokens.labels(tier, "out").inc(call["completionTokens"])


class Now(Collector):
    """Asks the runner and the database."""

    def collect(self) -> Iterator[Metric]:
        yield from sandboxes()
        yield test_runs()


def sandboxes() -> Iterator[Metric]:
    state = runtime.sandbox_state()
    yield GaugeMetricFamily("hooks_sandbox_up", "Whether the sandbox's runner answers.", 0 if state is None else 1)
    if state is None:
        return
    yield GaugeMetricFamily("hooks_sandbox_running", "Command hooks that run.", state["running"])
    yield GaugeMetricFamily("hooks_sandbox_queued", "Command hooks that wait for a place.", state["queued"])
    gauges = {
        "size": "Sandboxes to be made in advance.",
        "ready": "Sandboxes made in advance that wait for a hook.",
        "building": "Sandboxes that are being made in advance.",
        "bytes": "Memory that those which wait hold.",
    }
    for name, text in gauges.items():
        gauge = GaugeMetricFamily(f"hooks_sandbox_pool_{name}", text, labels=["language"])
        for language in LANGUAGES:
            gauge.add_metric([language], state["pool"][language][name])
        yield gauge
    taken = CounterMetricFamily(
        "hooks_sandbox_starts", "Command hooks by how they started.", labels=["language", "start"]
    )
    for language in LANGUAGES:
        taken.add_metric([language, "warm"], state["pool"][language]["hits"])
        taken.add_metric([language, "cold"], state["pool"][language]["misses"])
    yield taken


def test_runs() -> Metric:
    found = TestRun.objects.filter(status__in=WAITING).order_by().values_list("status").annotate(Count("pk"))
    counts = dict.fromkeys(WAITING, 0) | {TestRun.Status(status): number for status, number in found}
    gauge = GaugeMetricFamily("hooks_test_runs", "Test runs that are not done.", labels=["status"])
    for status, number in counts.items():
        gauge.add_metric([status.value], number)
    return gauge
