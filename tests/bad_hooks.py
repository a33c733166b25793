"""Bad hooks: for each a name, what a form is filled with, what a program sends, and what is said of it at every door."""

from typing import Any

LONG = "x" * 66_000
BAD: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("timeout-0", {"timeout": "0"}, {"timeout": 0}, "must be a whole number of seconds from 1 to 300, not 0."),
    ("timeout-301", {"timeout": "301"}, {"timeout": 301}, "must be a whole number of seconds from 1 to 300, not 301."),
    ("timeout-1.5", {"timeout": "1.5"}, {"timeout": 1.5}, "must be a whole number of seconds from 1 to 300, not 1.5."),
    ("timeout-word", {"timeout": "soon"}, {"timeout": "soon"}, "a whole number of seconds from 1 to 300, not 'soon'."),
    ("timeout-true", {"timeout": "true"}, {"timeout": True}, "a whole number of seconds from 1 to 300, not true."),
    ("matcher-call", {"matcher": "Bash("}, {"matcher": "Bash("}, "The matcher is not a valid regular expression: "),
    ("matcher-breaks-out", {"matcher": "a)|(.*"}, {"matcher": "a)|(.*"}, "The matcher is not a valid regular"),
    ("matcher-blank", {"matcher": "  "}, {"matcher": "  "}, "is required on PostToolUse: a regular expression"),
    ("matcher-missing", {"matcher": ""}, {"matcher": None}, "is required on PostToolUse: a regular expression"),
    ("command-missing", {"command": ""}, {"command": None}, "is required for a command hook: give either command or"),
    ("command-blank", {"command": "  "}, {"command": "  "}, "must not be blank."),
    ("command-long", {"command": LONG}, {"command": LONG}, "has 66,000 bytes; at most 65,536 bytes are allowed."),
    ("both", {"script": "#!/bin/bash\n", "aside": ""}, {"script": "#!/bin/bash\n"}, "cannot stand beside command"),
    ("prompt-on-command", {"prompt": "p", "aside": ""}, {"prompt": "p"}, "is for prompt hooks only: remove it, or set"),
    ("shebang", {"script": "#!/bin/zsh\n", "command": "", "aside": ""}, {"script": "#!/bin/zsh\n", "command": None},
     "must begin with the line #!/bin/bash or #!/usr/bin/env python3, not '#!/bin/zsh'."),
    ("type", {"type": "Comand"}, {"type": "Comand"}, "must be prompt or command, not 'Comand'."),
    ("fail-mode", {"failMode": "maybe"}, {"failMode": "maybe"}, "must be allow or block, not 'maybe'."),
    ("nul", {"command": "a\x00b"}, {"command": "a\x00b"}, "must not contain a NUL character."),
    ("model", {"model": "m" * 201, "aside": ""}, {"model": "m" * 201}, "must be a tier (Reasoning, ReasoningFast"),
    ("rejections", {"maxRejections": "26", "aside": ""}, {"maxRejections": 26}, "a whole number from 1 to 25, not 26."),
]  # fmt: skip
