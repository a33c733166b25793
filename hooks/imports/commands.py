"""Whether a command can run in the sandbox: it finds no project, no network, no environment and few programs there."""

import re
from collections.abc import Iterable, Iterator

from hooks.imports.shell import Call, calls

# bash's own words, coreutils, findutils, and what the sandbox promises beside them.
_PROMISED = """: . [ [[ alias base32 base64 basename bash break builtin case cat cd chmod cksum command comm continue cp
    cut date declare dirname echo egrep env eval exec exit expand export expr factor false fgrep find fmt fold for
    function getopts grep hash head jq join let link ln local ls mapfile md5sum mkdir mkfifo mktemp mv nl nohup numfmt
    od paste printenv printf pwd python3 read readarray readlink readonly realpath return rev rm rmdir sed select seq
    set sh sha1sum sha256sum sha512sum shift shopt shuf sleep sort source split stat sum tac tail tee test timeout
    touch tr trap true truncate tsort type typeset ulimit umask uname unexpand uniq unlink unset wait wc xargs yes
    awk"""
PROGRAMS = frozenset(_PROMISED.split())
NETWORK = frozenset(
    {"curl", "wget", "nc", "ncat", "ssh", "scp", "rsync", "ping", "telnet", "gh", "az", "aws", "kubectl"}
)
INTERPRETERS = frozenset(
    {"bash", "sh", "zsh", "python", "python3", "node", "ruby", "perl", "deno", "bun", "source", "."}
)
PASTE = "Paste its text into COMMAND of the script (for Python, with PROGRAM python3), then enable the hook."
MEND = "Change COMMAND of the script, then enable the hook."
_VARIABLE = re.compile(r"(?<!\\)\$\{?([A-Z][A-Z0-9_]*)")
_SHELLS_OWN = re.compile(r"(?:BASH\w*|IFS|LANG|LINENO|OPTARG|OPTIND|PATH|PIPESTATUS|RANDOM|REPLY|SECONDS|TZ|UID|EUID)")
_SET = re.compile(r"\b([A-Z][A-Z0-9_]*)\+?=|\bread\b[^\n;|&]{0,200}?\b([A-Z][A-Z0-9_]*)|\bfor\s+([A-Z][A-Z0-9_]*)")
_PLACE = re.compile(r"(?<![\w/.\\$])(?:\.{1,2}/[\w.]|~/|\.(?:claude|codex|cursor|gemini|github)/)")
_PROJECT = re.compile(r"\$\{?(?:\w*_(?:PROJECT_DIR|PLUGIN_ROOT|PLUGIN_DATA|PLANS_DIR|CWD)|HOME|PWD|OLDPWD)\b")


def unable(command: str) -> tuple[str, ...]:
    """Return why the command cannot run as it stands, in sentences; nothing where it probably can."""
    try:
        found = calls(command)
    except ValueError:
        return ("It cannot be read as a shell command: quotes do not close.",)
    return tuple(dict.fromkeys([*_places(command, found), *_programs(found), *_variables(command)]))


def _places(command: str, found: list[Call]) -> Iterator[str]:
    script = next((path for call in found if (path := _script(call))), None)
    if script:
        yield f"It runs {script[:200]!r}, a file that the sandbox does not have. {PASTE}"
    elif _PROJECT.search(command) or _PLACE.search(command):
        yield f"It uses files of the project or the home folder, which the sandbox does not have. {MEND}"


def _script(call: Call) -> str | None:
    """Return the file that a call runs, if it is none of the system's."""
    path = call.program if "/" in call.program else None
    if call.program in INTERPRETERS and not any(word in ("-c", "-m", "-e", "--eval", "-") for word in call.words):
        path = next((word for word in call.words if not word.startswith("-")), None)
    return None if path is None or re.match(r"(?:/usr)?/s?bin/|/tmp/|/dev/stdin", path) else path


def _programs(found: list[Call]) -> Iterator[str]:
    names = [call.program.rsplit("/", 1)[-1] for call in found if not _script(call) and "$" not in call.program]
    if network := _listed(name for name in names if name in NETWORK):
        yield f"It calls {network}, and the sandbox has no network. {MEND}"
    if unknown := _listed(name for name in names if name not in NETWORK | PROGRAMS):
        promised = "bash, coreutils, grep, sed, awk, jq and python3"
        yield f"It calls {unknown}, which the sandbox may not have: it has {promised}. {MEND}"


def _variables(command: str) -> Iterator[str]:
    own = {name for names in _SET.findall(command) for name in names if name}
    used = [name for name in _VARIABLE.findall(_PROJECT.sub("", command)) if name not in own]
    if missing := _listed(name for name in used if not _SHELLS_OWN.fullmatch(name)):
        yield f"It reads {missing} from the environment, which is empty in the sandbox. {MEND}"


def _listed(names: Iterable[str]) -> str:
    """Join names, each once and cut, and not too many."""
    once = list(dict.fromkeys(name[:100] for name in names))
    return ", ".join(once[:10]) + (" and more" if len(once) > 10 else "")
