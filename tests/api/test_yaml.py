"""YAML as people write it: texts stay texts, whatever YAML 1.1 would make of them; faults tell where."""

import pytest

from hooks.engine import yamldoc
from tests.shell import Caller

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandboxed")]
URL, BUNDLE = "/api/v2/extendedAgent/agents/keeper", "/api/v2/extendedAgent/hooks:bundle"
YAML = {"type": "application/yaml", "accept": "application/yaml"}
DOCUMENT = """\
api_version: azuresre.ai/v2
kind: ExtendedAgent
metadata:
  name: keeper
spec:
  instructions: on
  switch: off
  at: 12:30
  day: 2026-01-31
  country: no
  port: 0o14
  whole: 1e3
  hooks:
    Stop:
      - type: prompt
        prompt: yes
        timeout: 30
      - type: command
        script: |
          #!/bin/bash
          # a blank at the end of a line: \n\

          if true; then
          \techo 'tab and "quotes"'
          fi
"""


def test_texts_stay_texts(api: Caller) -> None:
    spec = api.put(URL, raw=DOCUMENT, **YAML).body["spec"]
    assert (spec["instructions"], spec["switch"], spec["country"]) == ("on", "off", "no")
    assert (spec["at"], spec["day"], spec["port"]) == ("12:30", "2026-01-31", "0o14")
    assert spec["hooks"]["Stop"][0]["prompt"] == "yes"
    assert api.get(URL).body["properties"] == spec


def test_a_document_and_a_bundle_go_round(api: Caller) -> None:
    text = api.put(URL, raw=DOCUMENT, **YAML).text
    assert "prompt: 'yes'\n" in text
    assert "script: |\n          #!/bin/bash\n" in text
    assert (api.put(URL, raw=text, **YAML).text, api.get(URL).body["version"]) == (text, 1)
    bundle = api.get(BUNDLE, accept="*/*").text
    assert yamldoc.load(bundle)["agents"] == [yamldoc.load(text)]
    assert api.put(BUNDLE, raw=bundle, **YAML).body["diff"] == []


@pytest.mark.parametrize(
    ("spec", "target"),
    [
        ("enableVanillaMode: yes", "spec.enableVanillaMode"),
        ("hooks: {Stop: [{prompt: p, enabled: on}]}", "spec.hooks.Stop[0].enabled"),
        ("hooks: {Stop: [{prompt: p, timeout: 0:30}]}", "spec.hooks.Stop[0].timeout"),
        ("hooks: {Stop: [{prompt: true}]}", "spec.hooks.Stop[0].prompt"),
    ],
)
def test_what_is_a_text_is_no_truth_and_no_number(api: Caller, spec: str, target: str) -> None:
    answer = api.put(URL, raw=f"kind: ExtendedAgent\nmetadata: {{name: keeper}}\nspec: {{{spec}}}\n", **YAML)
    assert (answer.status, answer.targets) == (400, [target])


def test_faults_tell_the_line_and_the_column(api: Caller) -> None:
    twice = api.put(URL, raw="kind: ExtendedAgent\nspec:\n  tools: []\n  tools: []\n", **YAML)
    assert (twice.status, twice.code) == (400, "MalformedBody")
    assert twice.message == "The body is not YAML: Line 4, column 3: the key 'tools' stands twice."


def test_warnings_and_diff_stand_in_the_document_and_may_be_sent_back(api: Caller) -> None:
    warned = DOCUMENT.replace("timeout: 30", "timeout: 30\n        matcher: Bash")
    dry = api.put(f"{URL}?dryRun=true", raw=warned, **YAML)
    assert [one["target"] for one in dry.body["warnings"]] == ["spec.hooks.Stop[0].matcher"]
    assert dry.body["diff"]
    assert api.put(URL, raw=dry.text, **YAML).status == 201
