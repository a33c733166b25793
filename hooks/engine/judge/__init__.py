"""Prompt hooks: a language model judges the event (R15, R16, R23).

`answers` is the format per event, `messages` what opens the talk, `conversation` the talk itself, `tools` what the
model may look at, `reply` how its verdict is read.
"""

from collections.abc import Callable

from hooks.engine import strictjson
from hooks.engine.errors import HookError
from hooks.engine.events import EVENTS
from hooks.engine.judge.answers import schema_for
from hooks.engine.judge.conversation import Conversation, GaveUp
from hooks.engine.judge.messages import Fence, system_message, user_message
from hooks.engine.model import Deployment, ModelCall, ModelClient
from hooks.engine.verdict import Answer, decide

NO_MODEL = "no model is configured: set OPENAI_API_KEY, or OPENAI_BASE_URL to any OpenAI-compatible server"


class Judge:
    """Safe to use from many threads at once.

    `client` is None where no model is configured. `resolve` turns a tier or a deployment's name into the deployment.
    `plain` remembers, for all judges that share it, which deployments of which server refuse a JSON schema.
    """

    def __init__(
        self,
        client: ModelClient | None,
        resolve: Callable[[str], Deployment],
        plain: set[tuple[str, str]] | None = None,
    ) -> None:
        self._client = client
        self._resolve = resolve
        # One `add` or `in` of a set is atomic, so no lock.
        self._plain = set() if plain is None else plain

    def ask(
        self,
        *,
        event: str,
        name: str,
        prompt: str,
        model: str,
        context_json: str,
        transcript: str | None,
        deadline: float,
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[Answer, ModelCall | None]:
        """Return the verdict of the hook `name`, or its error, and what asking cost.

        `transcript` None or empty offers no tools. `deadline` bounds the verdict, in seconds of time.monotonic().
        """
        deployment = self._resolve(model)
        client, known_as = deployment.client or self._client, (deployment.server, deployment.name)
        if client is None:
            return HookError("model_error", NO_MODEL), None
        call = ModelCall(tier=deployment.tier, deployment=deployment.name)
        prompt, context_json = strictjson.clean(prompt), strictjson.clean(context_json)
        transcript = strictjson.clean(transcript or "")
        entry, fence = EVENTS[event], Fence(prompt, context_json, transcript)
        try:
            messages = [
                system_message(entry, fence, tools=bool(transcript)),
                user_message(prompt, context_json, fence),
            ]
        except ValueError as error:
            return HookError("model_error", str(error)), call
        conversation = Conversation(
            client=client,
            call=call,
            messages=messages,
            json_schema=schema_for(entry),
            transcript=transcript,
            fence=fence,
            deadline=deadline,
            cancelled=cancelled,
            schema_refused=known_as in self._plain,
        )
        try:
            found = conversation.verdict()
        except GaveUp as failure:
            return failure.error, call
        finally:
            if conversation.schema_refused:
                self._plain.add(known_as)
            call.cost_usd = _cost(deployment, call)
        return decide(event, found, source="judge", name=name), call


def _cost(deployment: Deployment, call: ModelCall) -> float | None:
    """Return US dollars; None where a price is unknown or the server counted no tokens."""
    if deployment.price_in is None or deployment.price_out is None or not call.prompt_tokens + call.completion_tokens:
        return None
    return (call.prompt_tokens * deployment.price_in + call.completion_tokens * deployment.price_out) / 1_000_000
