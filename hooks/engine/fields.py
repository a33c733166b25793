"""The rules of one option at a time, in users' words. Each check returns the canonical value or raises `Wrong`."""

import re
from collections.abc import Mapping, Sequence

from pydantic_core import PydanticCustomError

from hooks.engine.strictjson import clean

TEXT_BYTES = 65_536
DESCRIPTION_LIMIT = 2_000
MODEL_LIMIT = 200
SECONDS = (1, 300)  # of a timeout
REJECTIONS = (1, 25)
TIERS = ("Reasoning", "ReasoningFast", "GeneralPurpose", "Fast", "LongContext")
TYPES = ("prompt", "command")
FAIL_MODES = ("allow", "block")
ACTIVATION_MODES = ("always", "onDemand")
OTHER_SPELLINGS = {"on-demand": "ondemand", "on_demand": "ondemand"}
SHEBANGS: Mapping[str, str] = {"#!/bin/bash": "bash", "#!/usr/bin/env python3": "python"}
NAME = r"[A-Za-z0-9_-]{1,64}"


def wrong(code: str, message: str) -> PydanticCustomError:
    """Make the fault of one field."""
    return PydanticCustomError(code, clean(message))


def shown(value: object) -> str:
    """Write a wrong value as a person would, at bounded length."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a number that large"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str):
        return f"'{value[:60]}…'" if len(value) > 60 else f"'{value}'"
    return "a list" if isinstance(value, Sequence) else "an object"


def text(value: object) -> str:
    """Check a text and normalise it: LF line ends, no byte-order mark, no lone surrogates."""
    if not isinstance(value, str):
        raise wrong("invalid_type", f"must be a text, not {shown(value)}.")
    if "\x00" in value:
        raise wrong("invalid_text", "must not contain a NUL character.")
    return clean(value.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def program(value: object) -> str:
    """Check a prompt, command or script: a text with something in it, of at most 65,536 bytes."""
    value = text(value)
    if not value.strip():
        raise wrong("blank", "must not be blank.")
    size = len(value.encode())
    if size > TEXT_BYTES:
        raise wrong("too_large", f"has {size:,} bytes; at most {TEXT_BYTES:,} bytes are allowed.")
    return value


def shebang(script: str) -> str:
    """Check a script's first line, and return the language it names."""
    first = script.split("\n", 1)[0].rstrip(" \t")
    if first not in SHEBANGS:
        raise wrong("shebang", f"must begin with the line {' or '.join(SHEBANGS)}, not {shown(first)}.")
    return SHEBANGS[first]


def choice(value: object, among: Sequence[str]) -> str:
    """Check one of a few words, in any case; `on-demand` and `on_demand` read as `onDemand`."""
    if isinstance(value, str):
        said = OTHER_SPELLINGS.get(value.lower(), value.lower())
        for word in among:
            if word.lower() == said:
                return word
    raise wrong("invalid_choice", f"must be {' or '.join(among)}, not {shown(value)}.")


def whole(value: object, least: int, most: int, unit: str = "") -> int:
    """Check a whole number within bounds. Booleans, fractions and texts are none."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    what = f"a whole number of {unit}" if unit else "a whole number"
    raise wrong("out_of_range", f"must be {what} from {least} to {most}, not {shown(value)}.")


def boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise wrong("invalid_type", f"must be true or false, not {shown(value)}.")
    return value


def name(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(NAME, value):
        raise wrong("invalid_name", f"must have 1 to 64 letters, digits, hyphens and underscores, not {shown(value)}.")
    if value.lower().startswith("system__"):
        raise wrong("reserved_name", "must not start with system__: those names are the system's own.")
    return value


def description(value: object) -> str:
    value = text(value)
    if len(value) > DESCRIPTION_LIMIT:
        raise wrong("too_large", f"has {len(value):,} characters; at most {DESCRIPTION_LIMIT:,} are allowed.")
    return value


def model(value: object) -> str:
    """Check a tier, in any case, or the name of a deployment."""
    value = text(value).strip()
    if not value or len(value) > MODEL_LIMIT:
        raise wrong("invalid_model", f"must be a tier ({', '.join(TIERS)}) or the name of a deployment.")
    return next((tier for tier in TIERS if tier.lower() == value.lower()), value)
