"""HookSpec: what a hook may be. The single source of truth for form, API, YAML, bundle and client."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator
from pydantic.alias_generators import to_camel

from hooks.engine import fields, matcher
from hooks.engine.errors import Notice
from hooks.engine.events import EVENTS, unknown_event
from hooks.engine.sandbox.protocol import Language

SyntaxCheck = Callable[[Language, str], str | None]
"""Says what is wrong with a source, or None (the parser runs in the sandbox)."""

OPTIONS = ("type", "prompt", "command", "script", "matcher", "timeout", "failMode", "model", "maxRejections")


@dataclass(slots=True)
class Inspection:
    """What a parse is given beyond the values, and the warnings that it collects."""

    given: frozenset[str] = frozenset()
    syntax: SyntaxCheck | None = None
    known_tools: tuple[str, ...] = ()
    path: str = ""
    warnings: list[Notice] = field(default_factory=list)

    def warn(self, option: str, message: str) -> None:
        target = f"{self.path}.{option}" if self.path else option
        self.warnings.append(Notice(target, "no_effect" if "no effect" in message else "doubtful", message))


class HookSpec(BaseModel):
    """One hook. Build it with `hooks.engine.parsing`, which turns every fault into the users' words and paths."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, validate_by_name=True, validate_default=True
    )

    # A rule that looks at two options sits on the later one, so what others depend on comes first.
    event: str
    type: Literal["prompt", "command"] = "prompt"
    name: str | None = None
    description: str = ""
    enabled: bool = True
    activation_mode: Literal["always", "onDemand"] = "always"
    prompt: str | None = None
    command: str | None = None
    script: str | None = None
    matcher: str | None = None
    timeout: int = 30
    fail_mode: Literal["allow", "block"] = "allow"
    model: str = "ReasoningFast"
    max_rejections: int = 3

    @property
    def language(self) -> Language | None:
        """The language of a command hook. A `command` is bash."""
        if self.script is not None:
            return "python" if fields.shebang(self.script) == "python" else "bash"
        return "bash" if self.command is not None else None

    @property
    def source(self) -> str | None:
        return self.script if self.script is not None else self.command

    def options(self) -> dict[str, Any]:
        """The options that were set, under their canonical names and in canonical order."""
        found = self.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
        return {option: found[option] for option in OPTIONS if option in found}

    def all_options(self) -> dict[str, Any]:
        """Every option, nulls and defaults included, as the API's envelope shows it."""
        found = self.model_dump(by_alias=True)
        return {option: found[option] for option in OPTIONS}

    @property
    def content_hash(self) -> str:
        """sha-256, in hex, of the canonical configuration: equal however the same was written."""
        canonical = json.dumps(self.model_dump(by_alias=True), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    @field_validator("event", mode="before")
    @classmethod
    def _event(cls, value: object) -> str:
        if value is None or value == "":
            raise fields.wrong("required", f"is required: one of {', '.join(EVENTS)}.")
        if not isinstance(value, str) or value not in EVENTS:
            raise fields.wrong("unknown_event", unknown_event(value if isinstance(value, str) else fields.shown(value)))
        return value

    @field_validator("type", mode="before")
    @classmethod
    def _type(cls, value: object) -> str:
        return fields.choice(value, fields.TYPES)

    @field_validator("name", mode="before")
    @classmethod
    def _name(cls, value: object) -> str | None:
        return None if value is None else fields.name(value)

    @field_validator("description", mode="before")
    @classmethod
    def _description(cls, value: object) -> str:
        return fields.description(value)

    @field_validator("enabled", mode="before")
    @classmethod
    def _enabled(cls, value: object) -> bool:
        return fields.boolean(value)

    @field_validator("activation_mode", mode="before")
    @classmethod
    def _activation_mode(cls, value: object) -> str:
        return fields.choice(value, fields.ACTIVATION_MODES)

    @field_validator("prompt", mode="before")
    @classmethod
    def _prompt(cls, value: object, info: ValidationInfo) -> str | None:
        kind = info.data.get("type")
        if value is None:
            if kind == "prompt":
                raise fields.wrong("required", "is required for a prompt hook.")
            return None
        if kind == "command":
            raise fields.wrong("not_allowed", "is for prompt hooks only: remove it, or set type to prompt.")
        return fields.program(value)

    @field_validator("command", mode="before")
    @classmethod
    def _command(cls, value: object, info: ValidationInfo) -> str | None:
        if value is None:
            return None
        _for_command_hooks(info)
        value = fields.program(value)
        _parses("bash", value, info)
        return value

    @field_validator("script", mode="before")
    @classmethod
    def _script(cls, value: object, info: ValidationInfo) -> str | None:
        # A command that is wrong is not among the data, but was given all the same.
        has_command = "command" in _inspection(info).given or info.data.get("command") is not None
        if value is None:
            if info.data.get("type") == "command" and not has_command:
                raise fields.wrong("required", "is required for a command hook: give either command or script.")
            return None
        _for_command_hooks(info)
        if has_command:
            raise fields.wrong("exclusive", "cannot stand beside command: give one of the two.")
        value = fields.program(value)
        _parses("python" if fields.shebang(value) == "python" else "bash", value, info)
        return value

    @field_validator("matcher", mode="before")
    @classmethod
    def _matcher(cls, value: object, info: ValidationInfo) -> str | None:
        event = EVENTS.get(info.data.get("event", ""))
        value = None if value is None else fields.text(value)
        if event is not None and not event.tool:
            if value is not None:
                _inspection(info).warn(
                    "matcher", f"A matcher has no effect on {event.name}: there is no tool to match."
                )
                if len(value) > matcher.PATTERN_LIMIT:
                    raise fields.wrong(
                        "too_large", f"has {len(value):,} characters; at most {matcher.PATTERN_LIMIT:,} are allowed."
                    )
            return value
        if value is None or not value.strip():
            if event is not None:
                message = (
                    f"is required on {event.name}: a regular expression over the tool's name, or * for every tool."
                )
                raise fields.wrong("required" if value is None else "blank", message)
            return value
        return _valid_matcher(value, info)

    @field_validator("timeout", mode="before")
    @classmethod
    def _timeout(cls, value: object) -> int:
        return fields.whole(value, *fields.SECONDS, "seconds")

    @field_validator("fail_mode", mode="before")
    @classmethod
    def _fail_mode(cls, value: object, info: ValidationInfo) -> str:
        mode = fields.choice(value, fields.FAIL_MODES)
        event = EVENTS.get(info.data.get("event", ""))
        if mode == "block" and event is not None and not event.can_refuse:
            _inspection(info).warn("failMode", f"block has no effect on {event.name}, which cannot block.")
        return mode

    @field_validator("model", mode="before")
    @classmethod
    def _model(cls, value: object, info: ValidationInfo) -> str:
        if info.data.get("type") == "command" and "model" in _inspection(info).given:
            _inspection(info).warn("model", "A model has no effect on a command hook.")
        return fields.model(value)

    @field_validator("max_rejections", mode="before")
    @classmethod
    def _max_rejections(cls, value: object, info: ValidationInfo) -> int:
        number = fields.whole(value, *fields.REJECTIONS)
        if "maxRejections" in _inspection(info).given and (info.data.get("type"), info.data.get("event")) != (
            "prompt",
            "Stop",
        ):
            _inspection(info).warn(
                "maxRejections", "maxRejections has no effect here: it applies to Stop hooks of type prompt."
            )
        return number


def _inspection(info: ValidationInfo) -> Inspection:
    return info.context if isinstance(info.context, Inspection) else Inspection()


def _for_command_hooks(info: ValidationInfo) -> None:
    if info.data.get("type") == "prompt":
        raise fields.wrong("not_allowed", "is for command hooks only: remove it, or set type to command.")


def _parses(language: Language, source: str, info: ValidationInfo) -> None:
    # A bash syntax error exits 2, which would block everything; so it is refused when it is saved.
    check = _inspection(info).syntax
    fault = check(language, source) if check else None
    if fault:
        raise fields.wrong("syntax", f"does not parse: {fault}")


def _valid_matcher(pattern: str, info: ValidationInfo) -> str:
    inspection = _inspection(info)
    try:
        matcher.check(pattern)
    except matcher.InvalidMatcher as invalid:
        raise fields.wrong("invalid_matcher", str(invalid)) from None
    if doubt := matcher.doubts(pattern, inspection.known_tools):
        inspection.warn("matcher", doubt)
    return pattern
