"""/metrics."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from agents.models import Agent
from hooks import runtime
from hooks.models import TestRun
from tests.shell import TOOL, Caller, command, put_hook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
ALL_PROCESSES = """
import sys
from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
Counter("hooks_evaluations", "x", ["kind"]).labels("runtime").inc(int(sys.argv[1]))
registry = CollectorRegistry()
MultiProcessCollector(registry)
sys.stdout.write(generate_latest(registry).decode())
"""


def values(text: str) -> dict[str, float]:
    """Each sample by its name and the values of its labels, in the order of the names of these."""
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def asked(**headers: str) -> dict[str, float]:
    response = Client().get("/metrics", headers=headers)
    assert response.status_code == 200, response.content
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    return values(response.content.decode())


def test_it_works(api: Caller) -> None:
    put_hook(api, "no-sudo", "PostToolUse", command("exit 7", matcher="Bash"))
    before = asked()
    assert api.post("/api/v2/hooks/evaluate", {"context": TOOL}).status == 200
    after = asked()
    name = "hooks_evaluations_total allow PostToolUse runtime"
    assert after[name] == before.get(name, 0) + 1
    name = "hooks_results_total exit_code error command"
    assert after[name] == before.get(name, 0) + 1
    assert (
        after["hooks_evaluation_seconds_count runtime"] == before.get("hooks_evaluation_seconds_count runtime", 0) + 1
    )


def test_sandboxes_and_test_runs(api: Caller) -> None:
    TestRun.objects.create(agent=Agent.objects.get(), target={}, input={})
    found = asked()
    assert found["hooks_sandbox_up"] == 1
    assert {f"hooks_sandbox_pool_{name} python" for name in ("size", "ready", "building", "bytes")} <= set(found)
    assert (found["hooks_test_runs queued"], found["hooks_test_runs running"]) == (1, 0)


def test_runner_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "sandbox_state", lambda: None)
    assert asked()["hooks_sandbox_up"] == 0


def test_no_names_get_in(api: Caller) -> None:
    put_hook(api, "telling-name", "PostToolUse", command("exit 0", matcher="Bash"))
    api.post("/api/v2/hooks/evaluate", {"context": {**TOOL, "agent_name": "telling-agent"}})
    text = Client().get("/metrics").content.decode()
    assert "telling" not in text
    assert "Bash" not in text


@pytest.mark.parametrize("headers", [{"X-Forwarded-For": "127.0.0.1"}, {}])
def test_without_a_token_only_this_machine(headers: dict[str, str]) -> None:
    address = "127.0.0.1" if headers else "192.0.2.7"
    response = Client(REMOTE_ADDR=address).get("/metrics", headers=headers)
    assert response.status_code == 403
    assert b"METRICS_TOKEN" in response.content


def test_with_a_token(settings: Any) -> None:
    settings.METRICS_TOKEN = "a-long-token"
    for headers in ({}, {"Authorization": "Bearer another"}, {"Authorization": "Bearer \u00e4"}):
        response = Client().get("/metrics", headers=headers)
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"] == 'Bearer realm="metrics"'
    assert asked(Authorization="Bearer a-long-token")


def test_all_processes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for count in ("2", "3"):
        subprocess.run([sys.executable, "-c", ALL_PROCESSES, count], env=env, check=True, capture_output=True)
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    assert asked()["hooks_evaluations_total runtime"] == 5
