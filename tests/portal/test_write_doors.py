"""Every door through which something is changed leaves exactly one audit event, with who it was and what differs.

A door that is new fails the test until it stands here: in DOORS, or in NO_EVENT with the reason.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver

from agents.models import Agent
from agents.playground import threads
from hooks import services
from hooks.engine import yamldoc
from portal.access.models import ApiToken
from portal.access.tokens import create_token
from portal.audit.diff import diff
from portal.audit.models import AuditEvent
from portal.openapi.routes import routes
from tests.agents.cast import RUN, custom_agent
from tests.pages import fields, hook
from tests.shell import BY, Caller, command, envelope

pytestmark = pytest.mark.django_db
STOP = {"type": "command", "command": "true"}
SAMPLE = {"event": "Stop", "context": {"final_output": "4"}}
DOCUMENT = (
    "api_version: azuresre.ai/v2\nkind: ExtendedAgent\nmetadata: {name: NAME}\nspec: {instructions: SAY, hooks: {}}\n"
)
CLAUDE = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}
IPV4 = "127.0.0.1"


@dataclass
class World:
    """alice at her browser and a program with a token, both of whom may do everything, and what they find."""

    agent: Agent
    browser: Client
    api: Caller

    def post(self, address: str, **given: Any) -> Any:
        return self.browser.post(address, given)

    def etag(self, address: str) -> str:
        """What a form would send back: the version that it was made from."""
        context: Any = self.browser.get(address).context
        return str(context["etag"])


Door = tuple[Callable[[World], Any], str]  # what is done, and the action of the event
HOOKS, AGENTS = "/api/v2/extendedAgent/hooks", "/api/v2/extendedAgent/agents"


def yaml_of_a_hook(name: str) -> str:
    return yamldoc.dump(envelope(name, "Stop", command("exit 0")))


def undone(world: World) -> Any:
    return world.post("/hooks/undo", key=world.browser.session["undo"]["key"])


def switched(world: World) -> None:
    world.post("/hooks/bulk", action="disable", hook=["b"])


def thread_of(world: World) -> int:
    return int(world.agent.threads.get().pk)


API: dict[str, Door] = {
    "kill_switch PUT": (lambda w: w.api.put("/api/v2/killSwitch", {"reason": "x"}), "hooks.turned_off"),
    "hook PUT": (lambda w: w.api.put(f"{HOOKS}/new", envelope("new", "Stop", STOP)), "hook.created"),
    "hook PATCH": (lambda w: w.api.call("PATCH", f"{HOOKS}/a", {"properties": {"enabled": False}}), "hook.updated"),
    "hook DELETE": (lambda w: w.api.delete(f"{HOOKS}/a"), "hook.deleted"),
    "hooks_reorder POST": (
        lambda w: w.api.post(f"{HOOKS}:reorder", {"event": "Stop", "names": ["b", "a"]}),
        "hooks.reordered",
    ),
    "hook_restore POST": (lambda w: w.api.post(f"{HOOKS}/b:restore", {"version": 1}), "hook.restored"),
    "bundle PUT": (lambda w: w.api.put(f"{HOOKS}:bundle", {"hooks": [envelope("new", "Stop", STOP)]}), "hook.created"),
    "imports POST": (lambda w: w.api.post("/api/v2/imports?product=claude", CLAUDE), "hook.created"),
    "sample PUT": (lambda w: w.api.put("/api/v2/sampleContexts/new", SAMPLE), "sample.created"),
    "sample DELETE": (lambda w: w.api.delete("/api/v2/sampleContexts/four"), "sample.deleted"),
    "agent PUT": (
        lambda w: w.api.put(f"{AGENTS}/new", yamldoc.load(DOCUMENT.replace("NAME", "new"))),
        "custom_agent.created",
    ),
    "agent PATCH": (lambda w: w.api.call("PATCH", f"{AGENTS}/triage", {"owner": "sre"}), "custom_agent.updated"),
    "agent DELETE": (lambda w: w.api.delete(f"{AGENTS}/triage"), "custom_agent.deleted"),
    "thread_hook POST": (lambda w: w.api.post("/api/v1/threads/t/hooks/a/deactivate", {}), "thread_hook.deactivated"),
    "model_tier PUT": (lambda w: w.api.put("/api/v2/modelTiers/Fast", {"deployment": "m"}), "model_tier.updated"),
    "tokens POST": (lambda w: w.api.post("/api/v2/tokens", {"name": "n", "scopes": ["read"]}), "token.created"),
    "token DELETE": (
        lambda w: w.api.delete(f"/api/v2/tokens/{ApiToken.objects.get(name='spare').pk}"),
        "token.revoked",
    ),
}
PAGES: dict[str, Door] = {
    "hooks:create": (lambda w: w.browser.post("/hooks/create", fields()), "hook.created"),
    "hooks:clone": (lambda w: w.browser.post("/hooks/a/clone", fields(name="c", event="Stop")), "hook.created"),
    "hooks:edit": (
        lambda w: w.browser.post("/hooks/a/edit", fields(name="a", event="Stop", timeout="9", version="1")),
        "hook.updated",
    ),
    "hooks:delete": (lambda w: w.post("/hooks/a/delete", etag=w.etag("/hooks/a/delete")), "hook.deleted"),
    "hooks:switch": (lambda w: w.post("/hooks/a/switch", enabled="off"), "hook.disabled"),
    "hooks:move": (lambda w: w.post("/hooks/a/move", by="down"), "hooks.reordered"),
    "hooks:restore": (
        lambda w: w.post("/hooks/b/versions/1/restore", etag=w.etag("/hooks/b/versions/1/restore")),
        "hook.restored",
    ),
    "hooks:bulk": (lambda w: w.post("/hooks/bulk", action="disable", hook=["a"]), "hook.disabled"),
    "hooks:undo": (lambda w: (switched(w), undone(w)), "hook.disabled, hook.enabled"),
    "hooks:imports": (
        lambda w: w.post("/hooks/import", source=json.dumps(CLAUDE), product="claude", do="import"),
        "hook.created",
    ),
    "hooks:kill_switch": (lambda w: w.post("/hooks/kill-switch", do="off", reason="x", minutes=""), "hooks.turned_off"),
    "hooks:sample_create": (lambda w: w.browser.post("/samples/create", sample(name="new")), "sample.created"),
    "hooks:sample_edit": (
        lambda w: w.browser.post("/samples/four/edit", sample(etag=w.etag("/samples/four/edit"), description="x")),
        "sample.updated",
    ),
    "hooks:sample_delete": (lambda w: w.post("/samples/four/delete"), "sample.deleted"),
    "hooks:evaluations_export": (lambda w: w.post("/evaluations/export"), "evaluations.exported"),
    "hooks:tier_edit": (
        lambda w: w.post("/model-tiers/Fast/edit", deployment="m", baseUrl="", priceIn="", priceOut="", etag=""),
        "model_tier.updated",
    ),
    "agents:export": (lambda w: w.browser.get("/hooks/export"), "export.made"),
    "agents:load": (
        lambda w: w.post("/hooks/import-yaml", source=yaml_of_a_hook("new"), do="load", etag=bundle_tag(w)),
        "hook.created",
    ),
    "agents:create": (
        lambda w: w.post("/custom-agents/create", name="new", instructions="Help."),
        "custom_agent.created",
    ),
    "agents:create_document": (
        lambda w: w.post("/custom-agents/create-yaml", document=DOCUMENT.replace("NAME", "new")),
        "custom_agent.created",
    ),
    "agents:edit": (
        lambda w: w.post(
            "/custom-agents/triage/edit",
            name="triage",
            instructions="Other.",
            etag=w.etag("/custom-agents/triage/edit"),
        ),
        "custom_agent.updated",
    ),
    "agents:document": (
        lambda w: w.post(
            "/custom-agents/triage/yaml",
            document=DOCUMENT.replace("NAME", "triage").replace("SAY", "Other."),
            etag=w.etag("/custom-agents/triage/yaml"),
        ),
        "custom_agent.updated",
    ),
    "agents:hooks": (lambda w: managed(w), "custom_agent.updated"),
    "agents:delete": (lambda w: w.post("/custom-agents/triage/delete"), "custom_agent.deleted"),
    "agents:thread_hook": (
        lambda w: w.post(f"/playground/{thread_of(w)}/hooks/a", active="off"),
        "thread_hook.deactivated",
    ),
    "access:token_create": (
        lambda w: w.post("/tokens/create", name="n", scopes=["read"], expires="30", day=""),
        "token.created",
    ),
    "access:token_revoke": (
        lambda w: w.post(f"/tokens/{ApiToken.objects.get(name='spare').pk}/revoke"),
        "token.revoked",
    ),
    "audit:export": (lambda w: w.post("/audit/export", format="csv"), "audit.exported"),
    "sign_in": (
        lambda w: Client().post("/sign-in", {"username": "alice", "password": "correct-horse"}),
        "session.signed_in",
    ),
    "sign_out": (lambda w: w.post("/sign-out"), "session.signed_out"),
}
TESTS, TALK, LOOK = "tests change no configuration", "a conversation is no configuration", "looks, and changes nothing"
NO_EVENT = {
    **dict.fromkeys(["evaluate POST", "check POST", "test_runs POST", "test_run_cancel POST"], TESTS),
    "kill_switch DELETE": "the hooks are on here; what it does stands in tests/hooks/test_kill_switch.py",
    **dict.fromkeys(
        ["hooks:test", "hooks:test_draft", "hooks:cancel", "hooks:again", "agents:test", "agents:effective_test"], TESTS
    ),
    "hooks:evaluation_replay": TESTS,
    **dict.fromkeys(["openid_connect_login", "openid_connect_callback"], "lead to a provider that is none here"),
    "hooks:keep": "it is save_sample of a test's context, as in tests/hooks/test_views_testing.py",
    **dict.fromkeys(["hooks:check", "hooks:preview", "hooks:test_evaluations", "hooks:tier_try", "agents:check"], LOOK),
    **dict.fromkeys([f"agents:thread_{what}" for what in ("say", "decide", "go_on", "cancel", "edit", "delete")], TALK),
    **dict.fromkeys(["agents:playground", "agents:guide"], TALK),
    **dict.fromkeys(["theme", "language"], "each person's own choice, in a cookie"),
    "audit:verify": LOOK,
    **dict.fromkeys(
        [
            *("access:invite", "access:invite_withdraw", "access:join", "access:member_role", "access:member_remove"),
            *("access:member_deactivate", "access:member_reactivate", "access:member_second_factor"),
        ],
        "their events are in tests/portal/test_members.py",
    ),
    **dict.fromkeys(
        [
            *("access:password", "access:second_factor", "access:second_factor_off", "access:session_end"),
            *("access:sign_out_everywhere", "sign_in_code"),
        ],
        "their events are in tests/portal/test_account.py and test_second_factor.py",
    ),
}
# What answers GET alone, by whatever method.
OPEN = {"home", "healthz", "readyz", "metrics", "api_page", "nothing_here"}


def sample(**changed: Any) -> dict[str, Any]:
    given = {"name": "four", "event": "Stop", "description": "", "context": '{"final_output": "4"}', "transcript": ""}
    return {**given, "decision": "", "reason": "", "etag": "", **changed}


def bundle_tag(world: World) -> str:
    page: Any = world.post("/hooks/import-yaml", source=yaml_of_a_hook("new"))
    return str(page.context["form"].initial["etag"])


def managed(world: World) -> Any:
    page: Any = world.browser.get("/custom-agents/triage/hooks")
    desk = page.context["desk"]
    desk.draft.lists["Stop"] = []
    return world.post("/custom-agents/triage/hooks", draft=desk.draft.dump(), etag=desk.etag, do="save")


@pytest.fixture
def world(agent: Agent, alice: User, api: Caller, signed_in: Callable[[User], Client], sandboxed: None) -> World:
    hook(agent, "a")
    hook(agent, "b")
    services.patch_hook(agent=agent, name="b", patch={"properties": {"hook": {"timeout": 7}}}, by=BY)
    values = services.read_sample(SAMPLE, agent_name=agent.name)
    services.save_sample(agent=agent, name="four", values=values, by=BY)
    custom_agent(agent, "triage", {"Stop": [RUN]})
    create_token(agent=agent, name="spare", scopes=["read"], by=BY)
    return World(agent, signed_in(alice), api)


def doors() -> Iterator[str]:
    """Every route and method that may change something."""
    for route in routes():
        yield from (f"{route.name} {method}" for method in route.view.scopes if method != "GET")
    yield from _pages(get_resolver().url_patterns, "")


def _pages(patterns: Any, space: str) -> Iterator[str]:
    for one in patterns:
        if not isinstance(one, URLPattern):
            if one.namespace != "api":
                yield from _pages(one.url_patterns, f"{one.namespace}:" if one.namespace else "")
            continue
        methods = getattr(one.callback, "methods", ["POST"])
        if "POST" in methods and one.name not in OPEN:
            yield f"{space}{one.name}"


def test_every_door_stands_in_a_table() -> None:
    assert set(doors()) == {*API, *PAGES, *NO_EVENT}


def test_each_door_leaves_one_event_with_who_and_what(world: World) -> None:
    wrong = {}
    for name, (do, actions) in {**API, **PAGES}.items():
        with transaction.atomic():
            if name == "agents:thread_hook":
                threads.create_thread(agent=world.agent, custom_agent="", mode="hand", by=BY)
            if fault := _fault(world, do, actions, by_token=name in API):
                wrong[name] = fault
            transaction.set_rollback(True)
    assert wrong == {}


def _fault(world: World, do: Callable[[World], Any], actions: str, *, by_token: bool) -> Any:
    written = AuditEvent.objects.count()
    answer = do(world)
    events = list(AuditEvent.objects.order_by("sequence")[written:])
    if ", ".join(event.verb for event in events) != actions:
        content = getattr(answer, "text", None) or getattr(answer, "content", b"")[-600:]
        return [event.verb for event in events], content
    for event in events:
        who = (event.actor_kind, event.actor_text.partition(" (hk_")[0])
        if who != (("token", "test") if by_token else ("user", "alice")):
            return who
        if event.address != IPV4 or not event.request_id:
            return event.address, event.request_id
        if not event.verb.startswith("session.") and not diff(event.before or {}, event.after or {}):
            return "nothing differs"
    return None


COMMANDS: dict[str, tuple[list[str], str]] = {
    "load_bundle": (["{bundle}"], "hook.created"),
    "import_hooks": (["{claude}", "--product", "claude"], "hook.created"),
    "create_token": (["--agent", "sre-agent", "--name", "x", "--scope", "read"], "token.created"),
    "dump_bundle": ([], "export.made"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_leave_one_event_in_their_name(world: World, tmp_path: Path, name: str) -> None:
    bundle, claude = tmp_path / "bundle.yaml", tmp_path / "settings.json"
    bundle.write_text(yamldoc.dump({"hooks": [envelope("new", "Stop", STOP)]}))
    claude.write_text(json.dumps(CLAUDE))
    given, action = COMMANDS[name]
    written = AuditEvent.objects.count()
    call_command(name, *[one.format(bundle=bundle, claude=claude) for one in given], stdout=StringIO())
    (event,) = AuditEvent.objects.order_by("sequence")[written:]
    assert (event.verb, event.actor_kind, event.actor_text) == (action, "system", f"manage.py {name}")
