"""What the judge asks of a language model, whatever serves it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for. `arguments` is the raw text, which need not be JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    refusal: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ModelFailed(Exception):
    """The provider gave no reply. `message` is its own where it sent one; `status` its HTTP status, else None."""

    def __init__(self, message: str, *, status: int | None = None, timed_out: bool = False) -> None:
        super().__init__(message)
        self.message, self.status, self.timed_out = message, status, timed_out


class ModelClient(Protocol):
    def complete(
        self,
        *,
        deployment: str,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        json_schema: Mapping[str, Any] | None = None,
        timeout: float,
        cancelled: Callable[[], bool] | None = None,
    ) -> ModelReply:
        """Ask once, in the chat-completions format, within `timeout` seconds, the client's own retry included.

        `json_schema` is the value of `response_format.json_schema`: name, strict, schema. `cancelled` is polled while
        waiting.
        Raises ModelFailed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Deployment:
    """A model that can be asked. Prices are US dollars per million tokens; None where unknown.

    `client` serves it where that is not the judge's own; `server` then names the place.
    """

    name: str
    tier: str | None = None
    price_in: float | None = None
    price_out: float | None = None
    client: ModelClient | None = None
    server: str = ""


@dataclass(slots=True, kw_only=True)
class ModelCall:
    """What one verdict cost, and the evidence for it. Filled in as the judge goes, so a failed call still tells."""

    tier: str | None
    deployment: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    raw: str | None = None
