"""Refusals, whatever door the request came through. Invalid input is `hooks.engine.errors.Invalid`.

Refused
├── Malformed           400 the body cannot be read
├── Forbidden           403
├── NotFound            404
├── Conflict            409
├── PreconditionFailed  412 somebody else changed it in between; `current` is what stands now
└── TooLarge            413
"""

from typing import Any, ClassVar


class Refused(Exception):
    """A request was refused, with a sentence for people that says what is missing."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "ValidationFailure"

    def __init__(self, message: str, target: str = "") -> None:
        super().__init__(message)
        self.message, self.target = message, target


class Malformed(Refused):
    code = "MalformedBody"


class Forbidden(Refused):
    status, code = 403, "Forbidden"


class NotFound(Refused):
    status, code = 404, "NotFound"


class Conflict(Refused):
    status, code = 409, "Conflict"


class PreconditionFailed(Refused):
    status, code = 412, "PreconditionFailed"

    def __init__(self, message: str, current: Any = None) -> None:
        super().__init__(message)
        self.current = current


class TooLarge(Refused):
    status, code = 413, "PayloadTooLarge"
