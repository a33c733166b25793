"""The two hooks that are measured: one in bash with jq and grep, one in Python with json and re."""

from hooks.engine.sandbox.protocol import Language

BASH = """#!/bin/bash
# Has the answer the mark that says it is complete?
answer=$(jq -r '.final_output // empty')
if grep -q 'All steps finished' <<<"$answer"; then
  echo '{"decision": "allow"}'
else
  echo 'Say "All steps finished" once nothing is left to do.' >&2
  exit 2
fi
"""

PYTHON = r"""#!/usr/bin/env python3
# Did the tool run a command that destroys?
import json
import re
import sys

context = json.load(sys.stdin)
command = str(context.get("tool_input", {}).get("command", ""))
for pattern in (r"\brm\s+-[a-z]*[rf]", r"\bsudo\b", r"\bmkfs\b", r">\s*/dev/sd", r"\bchmod\s+777\b"):
    if re.search(pattern, command):
        print(json.dumps({"decision": "block", "reason": f"{command!r} is not allowed here."}))
        break
else:
    print(json.dumps({"decision": "allow", "hookSpecificOutput": {"additionalContext": "Checked."}}))
"""

STDIN: dict[Language, bytes] = {
    "bash": b'{"hook_event_name": "Stop", "agent_name": "a", "final_output": "Looked at it. All steps finished."}',
    "python": b'{"hook_event_name": "PostToolUse", "agent_name": "a", "tool_input": {"command": "ls -la /srv"}}',
}
SOURCES: dict[Language, str] = {"bash": BASH, "python": PYTHON}
COMMANDS: dict[Language, list[str]] = {"bash": ["/bin/bash"], "python": ["/usr/bin/python3"]}
VERDICT = '{"decision": "allow", "reason": ""}'
