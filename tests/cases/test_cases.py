"""Every conformance case, through the API, with the real sandbox and a scripted model."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases import running
from tests.scripted_model import ScriptedModel
from tests.shell import Caller

HERE = Path(__file__).parent
# Beside a maintainer's checkout there are more cases, which quote texts that are not ours to copy.
MORE = HERE.parent.parent.parent / "shared" / "cases" / "seeds.yaml"
FILES = [*sorted(HERE.glob("*.yaml")), *([MORE] if MORE.exists() else [])]
CASES = [case for file in FILES for case in yaml.safe_load(file.read_text(encoding="utf-8"))]


@pytest.mark.django_db
@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any], api: Caller, model: ScriptedModel) -> None:
    model.script(*map(running.reply, case.get("llm", [])))
    start = time.monotonic()
    answer = api.post("/api/v2/hooks/check", raw=running.body_of(case))
    took = (time.monotonic() - start) * 1000
    assert running.faults(case, answer.status, answer.body, took, model) == []
    assert json.loads(answer.text) == answer.body


def test_ids_are_unique() -> None:
    ids = [case["id"] for case in CASES]
    assert sorted(set(ids)) == sorted(ids)


@pytest.mark.skipif(MORE.exists(), reason="they are there")
def test_more_cases_are_beside_this_checkout() -> None:
    pytest.skip(f"{MORE.name} is not beside this checkout: its cases were not run")
