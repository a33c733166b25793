"""Put hooks before a real judge, whose model is a scripted server."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hooks.engine.judge import Judge
from hooks.engine.model import Deployment, ModelCall
from hooks.engine.verdict import Answer
from hooks.model_client import OpenAIClient
from tests.scripted_model import Reply, ScriptedModel

KEY = "sk-very-secret-1234"


@dataclass(frozen=True)
class Asked:
    """What came of one question. `requests` are those that the server got for it."""

    answer: Answer
    call: ModelCall
    requests: list[dict[str, Any]]

    @property
    def system(self) -> str:
        return self.requests[0]["messages"][0]["content"]

    @property
    def user(self) -> str:
        return self.requests[0]["messages"][1]["content"]


@dataclass
class Court:
    model: ScriptedModel
    judge: Judge

    def ask(
        self,
        *replies: str | Reply,
        event: str = "Stop",
        name: str = "careful",
        prompt: str = "Is it done? $ARGUMENTS",
        model: str = "small",
        context: str = '{"final_output": "done"}',
        transcript: str | None = None,
        timeout: float = 10.0,
        cancelled: Callable[[], bool] | None = None,
    ) -> Asked:
        before = len(self.model.requests)
        self.model.script(*replies)
        answer, call = self.judge.ask(
            event=event,
            name=name,
            prompt=prompt,
            model=model,
            context_json=context,
            transcript=transcript,
            deadline=time.monotonic() + timeout,
            cancelled=cancelled,
        )
        assert call is not None
        return Asked(answer, call, self.model.requests[before:])


@contextmanager
def court(price_in: float | None = None, price_out: float | None = None) -> Iterator[Court]:
    with ScriptedModel() as model:
        client = OpenAIClient(KEY, model.url)
        try:
            yield Court(model, Judge(client, lambda name: Deployment(name, "ReasoningFast", price_in, price_out)))
        finally:
            client.close()


def ask(*replies: str | Reply, **options: Any) -> Asked:
    """Ask a judge of its own; the options are those of Court.ask."""
    with court() as sitting:
        return sitting.ask(*replies, **options)
