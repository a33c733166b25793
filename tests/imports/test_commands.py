"""Which commands can run in the sandbox as they are, and what is said of those that cannot."""

import pytest

from hooks.imports.commands import unable

RUNS = [
    "true",
    "jq -r .tool_input.command | grep -q 'rm -rf' && exit 2 || exit 0",
    'input=$(cat); path=$(echo "$input" | jq -r .tool_input.file_path); [[ $path == *.env ]] && exit 2; exit 0',
    "python3 -c 'import json, sys; json.load(sys.stdin)'",
    "python3 - <<'END'\nimport os\ncurl = 'x'\nEND\n",
    "case $(jq -r .tool_name) in Bash|Edit) exit 2;; *) exit 0;; esac",
    'case "$1" in\n  a) echo x ;;\n  b) case y in z) true;; esac ;;\nesac; date',
    'check() { grep -q "$1"; }\ncheck secret && exit 2',
    "# curl is not called\nfor f in a b; do echo $f; done",
    "if [[ $(date +%u) -gt 5 || a =~ ^(b|c)$ ]]; then echo weekend >&2; exit 2; fi",
    "words=(curl wget)\necho ${words[0]} > /tmp/x 2>&1",
    "TOTAL=0; while read LINE; do TOTAL=$((TOTAL + 1)); done; echo $TOTAL $LINE >&2",
    "cat <<< 'x' | tee /dev/null",
    "! grep -q curl",
    "exec /usr/bin/env true \\\n  --x",
    "comm <(echo a) <(echo b)",
    "bash -c 'exit 2'",
    "function fail { exit 2; }; fail",
]
CANNOT = [
    ('"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh', "a file that the sandbox does not have"),
    ("${CLAUDE_PLUGIN_ROOT}/check.sh", "a file that the sandbox does not have"),
    ("python3 .claude/hooks/check.py", "'.claude/hooks/check.py'"),
    ("bash ./check.sh --strict", "'./check.sh'"),
    ("node check.js", "'check.js'"),
    ("source lib.sh", "'lib.sh'"),
    ("/home/me/bin/check", "'/home/me/bin/check'"),
    ("cat ~/rules.txt | grep x", "files of the project or the home folder"),
    ("cat $HOME/rules.txt", "files of the project or the home folder"),
    ("grep x ../rules.txt", "files of the project or the home folder"),
    ("jq . > .cursor/log.json", "files of the project or the home folder"),
    ("cd $GEMINI_PROJECT_DIR && ls", "files of the project or the home folder"),
    ("curl -s https://x -d @-", "It calls curl, and the sandbox has no network"),
    ("jq . | xargs -r wget", "It calls wget, and the sandbox has no network"),
    ('echo "$(curl -s https://x)"', "It calls curl, and the sandbox has no network"),
    ("if true; then command curl x; fi", "It calls curl, and the sandbox has no network"),
    ("A=1 curl x 2>/dev/null", "It calls curl, and the sandbox has no network"),
    ("npx prettier --write x", "It calls npx, which the sandbox may not have"),
    ("ruff check && osascript -e x", "It calls ruff, osascript, which the sandbox may not have"),
    ("echo $SLACK_URL ${API_KEY:-}", "It reads SLACK_URL, API_KEY from the environment"),
    ("echo 'it", "quotes do not close"),
]


@pytest.mark.parametrize("command", RUNS)
def test_it_can_run(command: str) -> None:
    assert unable(command) == ()


@pytest.mark.parametrize(("command", "words"), CANNOT)
def test_it_cannot_run(command: str, words: str) -> None:
    (reason,) = unable(command)
    assert words in reason


def test_all_reasons_are_given_and_names_are_cut() -> None:
    programs = "; ".join(f"program{number}" for number in range(50))
    reasons = unable(f"curl x; ./y.sh; {programs}; echo $TOKEN")
    assert len(reasons) == 4
    assert "program9 and more" in reasons[2]
