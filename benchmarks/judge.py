"""What a prompt hook costs beyond the call to its model: the same scripted server, asked raw and through the judge."""

import http.client
import json
import time
from urllib.parse import urlsplit

from benchmarks.scripts import STDIN
from benchmarks.timing import Case
from hooks.engine.judge import Judge
from hooks.engine.model import Deployment
from hooks.model_client import OpenAIClient

NAMES = ("model, raw", "model, through the judge")


def cases(url: str) -> list[Case]:
    judge = Judge(OpenAIClient("key", url), Deployment)
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port)
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": STDIN["bash"].decode()}]})

    def raw() -> None:
        connection.request("POST", f"{address.path}/chat/completions", body, {"Content-Type": "application/json"})
        json.loads(connection.getresponse().read())

    def ask() -> None:
        answer, _ = judge.ask(
            event="Stop",
            name="bench",
            prompt="Is the work done? $ARGUMENTS",
            model="m",
            context_json=STDIN["bash"].decode(),
            transcript=None,
            deadline=time.monotonic() + 30,
        )
        if getattr(answer, "outcome", "") != "allow":
            raise SystemExit(f"wrong answer: {answer!r}")

    return [Case(NAMES[0], raw), Case(NAMES[1], ask, NAMES[0])]
