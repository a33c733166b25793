"""Examples of what to send, each of which the portal accepts as it stands."""

from typing import Any

STOP = {
    "hook_event_name": "Stop",
    "agent_name": "incident_writer",
    "current_turn": 6,
    "max_turns": 50,
    "final_output": "The pod restarted because its memory limit was 256 MiB; it used 310 MiB at 09:12.",
}
TOOL = {
    "hook_event_name": "PostToolUse",
    "agent_name": "change_operator",
    "current_turn": 5,
    "max_turns": 50,
    "tool_name": "Bash",
    "tool_input": {"command": "kubectl get pods"},
    "tool_result": "checkout-7d9 1/1 Running",
    "tool_succeeded": True,
}
BEFORE = {
    "hook_event_name": "PreToolUse",
    "agent_name": "change_operator",
    "tool_name": "Bash",
    "tool_input": {"command": "kubectl delete pod checkout-7d9"},
}
TURNS = [{"role": "user", "text": "Why does checkout restart?"}, {"role": "assistant", "text": "I look at its memory."}]
NO_DELETES = """\
#!/bin/bash
if jq -r '.tool_input.command // ""' | grep -q 'kubectl delete'; then
  echo "Ask a person before anything is deleted." >&2
  exit 2
fi
"""
EVALUATE: dict[str, Any] = {
    "A final answer": {"context": STOP, "threadId": "incident-4711", "transcript": TURNS},
    "A tool that has finished": {"context": TOOL},
}
CHECK: dict[str, Any] = {
    "A command hook that came with the request": {
        "context": BEFORE,
        "hooks": {"agent": {"PreToolUse": [{"type": "command", "matcher": "Bash", "script": NO_DELETES}]}},
    },
    "On-demand hooks run where they are named": {
        "context": STOP,
        "hooks": {
            "agent": {
                "Stop": [{"name": "later", "activationMode": "onDemand", "type": "command", "command": "exit 0"}]
            },
            "customAgent": {"Stop": [{"type": "command", "command": "grep -q evidence || echo '{\"ok\": true}'"}]},
        },
        "activate": ["later"],
    },
}
HOOK: dict[str, Any] = {
    "A prompt hook": {
        "tags": ["incidents"],
        "owner": "sre",
        "properties": {
            "eventType": "Stop",
            "description": "An answer needs evidence.",
            "hook": {"prompt": "Accept the answer if it cites a metric or a log line. $ARGUMENTS", "maxRejections": 2},
        },
    },
    "A command hook": {
        "properties": {
            "eventType": "PreToolUse",
            "activationMode": "always",
            "hook": {"type": "command", "matcher": "Bash", "script": NO_DELETES, "failMode": "block", "timeout": 10},
        }
    },
}
HOOK_PATCH: dict[str, Any] = {
    "Switch it off": {"properties": {"enabled": False}},
    "The default timeout, and another owner": {"owner": "platform", "properties": {"hook": {"timeout": None}}},
}
SAMPLE: dict[str, Any] = {
    "An answer without evidence": {
        "event": "Stop",
        "description": "A bare answer, which should be sent back.",
        "context": {"final_output": "It works again."},
        "expected": {"decision": "block", "reasonContains": "evidence"},
    },
    "A harmless command": {"event": "PostToolUse", "context": TOOL, "transcript": "user: Look at the pods."},
}
TEST: dict[str, Any] = {
    "A definition that is not stored": {
        "definition": {"event": "PreToolUse", "type": "command", "matcher": "Bash", "script": NO_DELETES},
        "context": {"tool_name": "Bash", "tool_input": {"command": "kubectl delete pod x"}},
    },
    "All hooks that apply": {"context": STOP, "transcript": TURNS},
}
EVALUATION: dict[str, Any] = {
    "id": "01K7Z0T5V3JQ8M6W2R9XN4B1CD",
    "event": "PreToolUse",
    "decision": "deny",
    "reason": "Ask a person before anything is deleted.",
    "additionalContext": None,
    "truncated": False,
    "forcedStop": False,
    "durationMs": 14.2,
    "warnings": [],
    "hooks": [
        {
            "name": "no-deletes",
            "level": "agent",
            "position": 0,
            "type": "command",
            "version": 3,
            "contentHash": "9f2c6d0b5a7e4c1f8d3b6a9e2c5f7081b4d6e8fa0c2e4a6b8d0f1a3c5e7f9b1d",
            "outcome": "deny",
            "reason": "Ask a person before anything is deleted.",
            "additionalContext": None,
            "delivered": False,
            "error": None,
            "failModeApplied": False,
            "exitCode": 2,
            "signal": None,
            "stdout": "",
            "stderr": "Ask a person before anything is deleted.\n",
            "modelCall": None,
            "startedAt": "2026-01-31T12:00:00.004Z",
            "durationMs": 12.9,
            "warnings": [],
        }
    ],
}
