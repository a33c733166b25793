"""The steps of bin/test that look for known holes: a hole fails the build, a service that is away does not, and says so."""

import json
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from stack.options import ROOT
from tests import advisories

RANGE = {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.0"}]}
AFFECTED = {"package": {"name": "django", "ecosystem": "PyPI"}, "ranges": [RANGE]}
HOLE = {"id": "GHSA-test", "modified": "2026-01-01T00:00:00Z", "affected": [AFFECTED]}


@pytest.fixture
def one_package(tmp_path: Path) -> list[str]:
    file = tmp_path / "requirements.txt"
    file.write_text("django==5.2.19\n")
    return ["--requirement", str(file), "--no-deps", "--disable-pip", "--cache-dir", str(tmp_path / "cache")]


@pytest.fixture
def osv() -> Iterator[str]:
    """An advisory service that knows of a hole."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.dumps({"vulns": [HOLE]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/query"
    server.shutdown()
    server.server_close()


def test_a_hole_that_is_known_is_told(osv: str, one_package: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    code, lines = advisories.judge(advisories.ask("--vulnerability-service", "osv", "--osv-url", osv, *one_package))
    assert code == advisories.HOLES
    assert lines == ["django 5.2.19: GHSA-test, mended in 99.0"]


def test_a_service_that_is_away_fails_no_build_and_says_so(
    one_package: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setattr(advisories, "SERVICES", ("osv",))
    assert advisories.main(one_package) == advisories.NOT_REACHABLE
    assert "Not reachable" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        ([], 75, ""),
        ([{"name": "a", "skip_reason": "not found"}], 75, ""),
        ([{"name": "a", "version": "1", "vulns": []}], 0, "1 packages have no hole"),
        ([{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "x"}], 0, "1 are unknown"),
        ([{"name": "a", "version": "1", "vulns": [{"id": "X", "fix_versions": []}]}], 1, "mended in no version yet"),
    ],
)
def test_what_a_report_comes_to(packages: list[dict[str, Any]], code: int, said: str) -> None:
    found, lines = advisories.judge({"dependencies": packages})
    assert found == code and said in "".join(lines)


@pytest.mark.parametrize(
    ("code", "verdict", "failed"), [(0, "passed", "0"), (1, "FAILED", "1"), (75, "not reachable", "0")]
)
def test_what_a_step_of_bin_test_makes_of_it(code: int, verdict: str, failed: str) -> None:
    source = Path(ROOT, "bin", "test").read_text()
    step = source[source.index("step() {") : source.index("\n}\n", source.index("step() {")) + 3]
    begin, end = "set -euo pipefail; summary=(); failed=0", 'echo "${summary[0]} $failed"'
    script = f'{begin}\n{step}\nstep "holes" bash -c "exit {code}"\n{end}'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    words = done.stdout.splitlines()[-1].split()
    assert verdict in " ".join(words) and words[-1] == failed
