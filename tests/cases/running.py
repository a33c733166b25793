"""Conformance cases: how one is sent, and how its answer is held against what is expected.

A case:
    id, why         what it shows
    event           which defaults to use (Stop); context.hook_event_name wins
    hooks           {agent: {Event: [...]}, customAgent: {Event: [...]}}; options as in spec.hooks
    context         merged over the defaults of its event; `without` names fields to leave out
    transcript      optional
    repeat          {dotted.path.in.the.body: [character, count]}, appended to what stands there
    request         merged into the body; raw: the whole body as text, in place of everything above
    llm             replies in order: a text, {tool, arguments}, {status, body}, {sleep, text}, {message}; `headers` beside any
    expect          see `faults`
"""

import json
from typing import Any

from tests.scripted_model import Reply, ScriptedModel, answered, call, failure, said

COMMON = {
    "agent_name": "case_agent",
    "current_turn": 5,
    "max_turns": 50,
    "execution_summary": "/path/to/transcript.txt",
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "Stop": COMMON | {"final_output": "Here is my response.", "stop_hook_active": False, "stop_rejection_count": 0},
    "PostToolUse": COMMON
    | {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_result": "a.txt", "tool_succeeded": True},
    "PreToolUse": COMMON | {"tool_name": "Bash", "tool_input": {"command": "ls"}},
    "Start": COMMON | {"source": "chat"},
}


def body_of(case: dict[str, Any]) -> bytes:
    """Write the request of a case."""
    if "raw" in case:
        return str(case["raw"]).encode()
    context = case.get("context", {})
    event = context.get("hook_event_name") or case.get("event", "Stop")
    whole = DEFAULTS.get(event, COMMON) | {"hook_event_name": event} | context
    body = {"hooks": json.loads(json.dumps(case.get("hooks", {}))), "context": whole}
    for key in case.get("without", []):
        body["context"].pop(key, None)
    if "transcript" in case:
        body["transcript"] = case["transcript"]
    body |= case.get("request", {})
    for path, (char, count) in case.get("repeat", {}).items():
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = body
        for step in way:
            place = place[step]
        place[last] = place.get(last, "") + char * count
    return json.dumps(body).replace("$RUN", "this-run").encode()


def reply(scripted: Any) -> str | Reply:
    """Turn a scripted reply into what the model sends."""
    if isinstance(scripted, str):
        return scripted
    headers, sleep = scripted.get("headers"), scripted.get("sleep", 0)
    if "status" in scripted:
        return failure(scripted["status"], scripted.get("body", "scripted error"), headers)
    if "tool" in scripted:
        return call(scripted["tool"], **scripted["arguments"])
    if "message" in scripted:
        message = {"role": "assistant", "content": scripted.get("text"), **scripted["message"]}
        return answered({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}, sleep=sleep)
    return said(scripted.get("text", '{"ok": true}'), sleep=sleep)


def faults(case: dict[str, Any], status: int, got: Any, took_ms: float, model: ScriptedModel) -> list[str]:
    """Say in which ways an answer is not the expected one."""
    want, out = case["expect"], []
    if status != want.get("status", 200):
        return [f"status {status}: {json.dumps(got)[:400]}"]
    hooks = got["hooks"] if status == 200 else []
    text, sent = json.dumps(got, ensure_ascii=False), json.dumps(model.requests, ensure_ascii=False)
    warnings = json.dumps([got.get("warnings", []), [hook["warnings"] for hook in hooks]], ensure_ascii=False).lower()
    reason = str(got.get("reason") or "")
    parts = want.get("reasonContains", [])
    seen: dict[str, Any] = {
        **{key: got.get(key) for key in ("decision", "reason", "additionalContext", "forcedStop", "truncated")},
        "outcomes": [hook["outcome"] for hook in hooks],
        "errors": [hook["error"]["code"] if hook["error"] else None for hook in hooks],
        "names": [hook["name"] for hook in hooks],
        "ranCount": len([hook for hook in hooks if hook["outcome"] != "skipped"]),
        "llmCalls": len(model.requests),
    }
    out += [f"{key}: {seen[key]!r}, not {want[key]!r}" for key in seen if key in want and seen[key] != want[key]]
    holds = {
        "reasonContains": all(part in reason for part in (parts if isinstance(parts, list) else [parts])),
        "reasonExcludes": not any(part in reason for part in want.get("reasonExcludes", [])),
        "maxLength": all(len(got.get(field)) <= most for field, most in want.get("maxLength", {}).items()),
        "warningsContain": want.get("warningsContain", "").lower() in warnings,
        "textContains": all(part in text for part in want.get("textContains", [])),
        "textExcludes": not any(part in text for part in want.get("textExcludes", [])),
        "maxMs": took_ms <= want.get("maxMs", took_ms),
        "minMs": took_ms >= want.get("minMs", took_ms),
        "body": subset(want.get("body", {}), got),
        "llmContains": all(part in sent for part in want.get("llmContains", [])),
        "llmNotContains": not any(part in sent for part in want.get("llmNotContains", [])),
        "llmTools": "llmTools" not in want or tools(model) == sorted(want["llmTools"]),
    }
    out += [f"{key}: wanted {want[key]!r} in {text[:600]} {sent[:300]}" for key, held in holds.items() if not held]
    known = {*seen, *holds, "status"}
    return out + [f"{key} is nothing that can be expected" for key in want if key not in known]


def tools(model: ScriptedModel) -> list[str] | None:
    """Name the tools that the first request offered."""
    if not model.requests:
        return None
    return sorted(tool["function"]["name"] for tool in model.requests[0].get("tools") or [])


def subset(want: Any, got: Any) -> bool:
    if isinstance(want, dict):
        return isinstance(got, dict) and all(key in got and subset(value, got[key]) for key, value in want.items())
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(subset, want, got))
    return bool(want == got)
