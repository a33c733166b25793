"""The conversation so far, as a hook may read it (R13)."""

import itertools
import re
from collections.abc import Mapping

from hooks.engine.errors import Fault, Invalid
from hooks.engine.strictjson import clean

TRANSCRIPT_PATH = "/mnt/data/hook_transcript.txt"
FAULTS_LIMIT = 100  # a hostile transcript may have millions
LIMIT = 32 * 1024 * 1024


def render(transcript: object, *, path: str = "transcript") -> str:
    """Write a transcript as the text of one file; "" when there is none.

    Takes None, a text, or a list of `{role, text}`. Raises Invalid with the first FAULTS_LIMIT faults.
    """
    if transcript is None:
        return ""
    if isinstance(transcript, str):
        return clean(transcript)
    if not isinstance(transcript, list):
        raise Invalid([Fault(path, "invalid_type", "must be a text or a list of {role, text}")])
    wrong = (fault for index, turn in enumerate(transcript) for fault in _faults(turn, f"{path}[{index}]"))
    faults = list(itertools.islice(wrong, FAULTS_LIMIT))
    if faults:
        raise Invalid(faults)
    return "".join(_turn(turn["role"], turn["text"]) for turn in transcript)


def _faults(turn: object, path: str) -> list[Fault]:
    if not isinstance(turn, Mapping):
        return [Fault(path, "invalid_type", "must be an object with role and text")]
    return [
        Fault(f"{path}.{field}", "invalid_type" if field in turn else "required", "must be a text")
        for field in ("role", "text")
        if not isinstance(turn.get(field), str)
    ]


def _turn(role: str, text: str) -> str:
    # The role stays on one line and every further line is indented, so that no text can forge a turn.
    role = re.sub(r"\s+", " ", " ".join(clean(role).splitlines())).strip()
    lines = clean(text).splitlines() or [""]
    return f"{role}: " + "\n    ".join(lines) + "\n"
