"""An agent-level hook as the REST API carries it."""

import pytest

from hooks.engine.envelope import TAGS_LIMIT, parse_agent_hook


def envelope(hook=None, **properties):
    hook = {"type": "prompt", "prompt": "p"} if hook is None else hook
    return {"name": "gate", "type": "GlobalHook", "properties": {"eventType": "Stop", "hook": hook, **properties}}


def faults(raw, **rest):
    parsed = parse_agent_hook(raw, **rest)
    assert parsed.spec is None
    return [(fault.target, fault.code) for fault in parsed.faults]


def test_it_works():
    raw = envelope(activationMode="onDemand", description="d", enabled=False) | {"tags": ["a"], "owner": "alice"}
    parsed = parse_agent_hook(raw)
    assert (parsed.faults, parsed.warnings, parsed.tags, parsed.owner) == ([], [], ["a"], "alice")
    spec = parsed.spec
    assert (spec.name, spec.event, spec.activation_mode, spec.description, spec.enabled, spec.prompt) == (
        "gate",
        "Stop",
        "onDemand",
        "d",
        False,
        "p",
    )


def test_what_is_left_out_or_null_takes_its_default():
    raw = envelope({"type": None, "prompt": "p", "command": None, "matcher": None}, activationMode=None, enabled=None)
    parsed = parse_agent_hook(raw | {"type": None, "tags": None, "owner": None})
    assert (parsed.spec.type, parsed.spec.activation_mode, parsed.spec.enabled) == ("prompt", "always", True)
    assert (parsed.tags, parsed.owner) == ([], "")


def test_an_answer_can_be_sent_back_as_it_is():
    read_only = {"version": 3, "contentHash": "x", "warnings": [], "id": "1", "createdAt": "t", "updatedAt": "t"}
    assert parse_agent_hook(envelope() | read_only).faults == []


@pytest.mark.parametrize("body", [{}, {"name": None}])
def test_the_urls_name_serves_where_the_body_has_none(body):
    raw = {key: value for key, value in envelope().items() if key != "name"} | body
    assert parse_agent_hook(raw, name="from-url").spec.name == "from-url"
    assert faults(raw) == [("name", "invalid_name")]


def test_the_bodys_name_is_kept_for_the_caller_to_compare():
    assert parse_agent_hook(envelope(), name="other").spec.name == "gate"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, [("", "invalid_type")]),
        ([], [("", "invalid_type")]),
        ({"name": "a"}, [("properties", "required")]),
        ({"name": "a", "properties": None}, [("properties", "required")]),
        ({"name": "a", "properties": []}, [("properties", "invalid_type")]),
        ({"name": "a", "properties": {}}, [("properties.hook", "required"), ("properties.eventType", "required")]),
        ({"name": "a", "properties": {"eventType": "Stop"}}, [("properties.hook", "required")]),
        (
            {"name": "a", "properties": {"eventType": "Stop", "hook": "x"}},
            [("properties.hook", "invalid_type")],
        ),
        (envelope() | {"type": "ExtendedAgent"}, [("type", "invalid_choice")]),
        (envelope() | {"type": ["GlobalHook"]}, [("type", "invalid_choice")]),
        (envelope() | {"name": "a b"}, [("name", "invalid_name")]),
        (envelope() | {"name": ""}, [("name", "invalid_name")]),
        (envelope() | {"name": "System__x"}, [("name", "reserved_name")]),
        (envelope() | {"zzz": 1}, [("zzz", "unknown_option")]),
        (envelope(zzz=1), [("properties.zzz", "unknown_option")]),
        (envelope({"prompt": "p", "zzz": 1}), [("properties.hook.zzz", "unknown_option")]),
        (envelope({"prompt": "p", "name": "x"}), [("properties.hook.name", "unknown_option")]),
        (envelope({"prompt": "p", "failMode": "x"}), [("properties.hook.failMode", "invalid_choice")]),
        (envelope({"prompt": "p", "timeout": 0}), [("properties.hook.timeout", "out_of_range")]),
        (envelope({}), [("properties.hook.prompt", "required")]),
        (envelope(eventType="stop"), [("properties.eventType", "unknown_event")]),
        (envelope(event="Stop"), [("properties.event", "unknown_option")]),
        (envelope(event_type="Stop"), [("properties.eventType", "twice")]),
        (envelope(activationMode="x"), [("properties.activationMode", "invalid_choice")]),
        (envelope(enabled="yes"), [("properties.enabled", "invalid_type")]),
        (envelope(description=5), [("properties.description", "invalid_type")]),
        (
            envelope({"timeout": 0, "zzz": 1}, enabled=5) | {"name": "a b"},
            [
                ("properties.hook.zzz", "unknown_option"),
                ("properties.hook.timeout", "out_of_range"),
                ("properties.enabled", "invalid_type"),
                ("name", "invalid_name"),
                ("properties.hook.prompt", "required"),
            ],
        ),
    ],
)
def test_every_fault_has_its_place(raw, expected):
    assert sorted(faults(raw)) == sorted(expected)


def test_an_option_in_the_wrong_place_is_not_blamed_on_the_level():
    (fault,) = parse_agent_hook(envelope({"prompt": "p", "activationMode": "always"})).faults
    assert (fault.target, fault.message) == ("properties.hook.activationMode", "'activationMode' is no option here.")


def test_a_path_stands_before_every_target():
    raw = {"zzz": 1, "name": "a b", "properties": {"hook": {"timeout": 0}}}
    assert {target for target, _ in faults(raw, path="hooks[2]")} == {
        "hooks[2].zzz",
        "hooks[2].name",
        "hooks[2].properties.eventType",
        "hooks[2].properties.hook.timeout",
        "hooks[2].properties.hook.prompt",
    }


def test_warnings_have_their_place_too():
    parsed = parse_agent_hook(envelope({"prompt": "p", "matcher": "x"}))
    assert [(notice.target, notice.code) for notice in parsed.warnings] == [("properties.hook.matcher", "no_effect")]


@pytest.mark.parametrize("tags", ["a", [5], ["x" * 201], ["a\x00"], ["a"] * (TAGS_LIMIT + 1), {"a": 1}])
def test_tags_are_a_list_of_short_texts(tags):
    assert faults(envelope() | {"tags": tags}) == [("tags", "invalid_type")]


def test_the_bounds_of_labels_are_allowed():
    assert TAGS_LIMIT == 50
    parsed = parse_agent_hook(envelope() | {"tags": ["x" * 200] * 50, "owner": "x" * 200})
    assert (len(parsed.tags), len(parsed.owner)) == (50, 200)


@pytest.mark.parametrize("owner", [5, "x" * 201, "a\x00", ["alice"]])
def test_an_owner_is_a_short_text(owner):
    assert faults(envelope() | {"owner": owner}) == [("owner", "invalid_type")]


def test_what_the_hook_is_read_with_reaches_it():
    asked = []
    parsed = parse_agent_hook(
        envelope({"type": "command", "command": "true", "matcher": "bash"}, eventType="PreToolUse"),
        syntax=lambda *source: asked.append(source),
        known_tools=["Bash"],
    )
    assert asked == [("bash", "true")]
    assert [notice.code for notice in parsed.warnings] == ["doubtful"]
