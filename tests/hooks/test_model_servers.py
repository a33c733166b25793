"""Model servers that admins name: no way into the operator's network, and no key for a place that was only typed."""

import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from hooks import model_servers
from hooks.engine.model import ModelFailed
from portal import outbound
from portal.outbound import Allowed
from portal.settings import model_hosts, model_keys
from tests.scripted_model import Reply, ScriptedModel, said

KEY = "sk-of-the-environment"
NAME = "models.example"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """A model server on this machine that the operator named nowhere; the environment's own is elsewhere."""
    monkeypatch.setattr(settings, "OPENAI_API_KEY", KEY)
    monkeypatch.setattr(settings, "OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with ScriptedModel() as scripted:
        yield scripted
    model_servers.close()


@pytest.fixture
def leads_to(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Have names lead to these addresses, one list after the other; the last one stays."""

    def answer(*answers: list[str]) -> list[str]:
        asked: list[str] = []

        def look_up(host: str, port: int) -> list[str]:
            asked.append(host)
            return answers[min(len(asked), len(answers)) - 1]

        monkeypatch.setattr(outbound, "look_up", look_up)
        return asked

    return answer


def port_of(server: ScriptedModel) -> int:
    return urlsplit(server.url).port or 0


def allow(monkeypatch: pytest.MonkeyPatch, *entries: str) -> None:
    monkeypatch.setattr(settings, "MODEL_HOSTS_ALLOWED", [Allowed.read(entry) for entry in entries])


def ask(url: str) -> Any:
    messages = [{"role": "user", "content": "hi"}]
    return model_servers.client_of(url).complete(deployment="small", messages=messages, timeout=60)


def test_what_is_private_is_refused_as_it_is_saved_and_as_it_is_called(server: ScriptedModel) -> None:
    with pytest.raises(ValueError, match=r"is not allowed: 127\.0\.0\.1 is no public address"):
        model_servers.check_url(server.url)
    with pytest.raises(ModelFailed, match="MODEL_HOSTS_ALLOWED"):
        ask(server.url)
    assert not server.requests


def test_what_the_operator_allows_is_called_without_a_key(
    server: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Gateway-Key: {KEY}\nAuthorization: Bearer {KEY}")
    allow(monkeypatch, f"127.0.0.1:{port_of(server)}")
    assert model_servers.check_url(f"{server.url}/") == server.url
    server.script(said("hello"))
    assert ask(server.url).text == "hello"
    assert "authorization" not in server.headers[0]
    assert KEY not in str(server.headers) and "org-secret" not in str(server.headers)


def test_a_key_goes_to_the_origin_that_it_is_for(server: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    origin = f"http://127.0.0.1:{port_of(server)}"
    monkeypatch.setattr(settings, "MODEL_KEYS", {origin: "sk-of-the-gateway"})
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}")
    server.script(said("hello"))
    ask(model_servers.check_url(server.url))
    assert server.headers[0]["authorization"] == "Bearer sk-of-the-gateway"
    for other in ("http://127.0.0.1:1", "https://127.0.0.1", f"http://localhost:{port_of(server)}"):
        place = outbound.place_of(other)
        assert place and model_servers.key_for(place) == ""


def test_the_environments_own_server_gets_its_key_on_any_path(
    server: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "OPENAI_BASE_URL", server.url)
    server.script(said("hello"))
    ask(model_servers.check_url(f"{server.url}/other"))
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_without_a_server_of_its_own_the_environments_key_is_openais(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "OPENAI_API_KEY", KEY)
    places = [outbound.place_of(url) for url in ("https://api.openai.com/v1", "http://api.openai.com/v1")]
    assert [model_servers.key_for(place) for place in places if place] == [KEY, ""]


def test_a_name_that_leads_elsewhere_a_second_later_gains_nothing(
    server: ScriptedModel, leads_to: Callable[..., list[str]]
) -> None:
    asked = leads_to(["8.8.8.8"], ["127.0.0.1"])
    url = f"http://{NAME}:{port_of(server)}/v1"
    assert model_servers.check_url(url) == url
    with pytest.raises(ModelFailed, match=f"{NAME} leads to 127.0.0.1"):
        ask(url)
    assert asked == [NAME, NAME] and not server.requests


def test_what_was_checked_is_what_is_connected_to(
    server: ScriptedModel, leads_to: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(monkeypatch, NAME)
    leads_to(["127.0.0.1"])
    server.script(said("hello"))
    assert ask(f"http://{NAME}:{port_of(server)}/v1").text == "hello"  # which no resolver knows
    assert server.headers[0]["host"] == f"{NAME}:{port_of(server)}"


def test_an_address_that_does_not_answer_gives_way_to_the_next(
    server: ScriptedModel, leads_to: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(monkeypatch, NAME)
    leads_to(["127.0.0.2", "127.0.0.1"])  # the server listens on the second alone
    server.script(said("hello"))
    assert ask(f"http://{NAME}:{port_of(server)}/v1").text == "hello"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(server: ScriptedModel, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    allow(monkeypatch, "127.0.0.1")
    server.script(Reply(status=status, headers={"Location": "http://169.254.169.254/latest/meta-data"}))
    with pytest.raises(ModelFailed, match="redirects elsewhere, which is not followed"):
        ask(server.url)
    assert len(server.requests) == 1


def test_a_name_that_leads_nowhere(leads_to: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    leads_to([])
    with pytest.raises(ValueError, match="has no address"):
        model_servers.check_url("https://nothing.example/v1")
    monkeypatch.setattr(outbound, "look_up", unknown)
    with pytest.raises(ValueError, match="cannot be looked up: Name or service not known"):
        model_servers.check_url("https://nowhere.example/v1")
    with pytest.raises(ModelFailed, match=r"no answer from nowhere\.example: .*Name or service not known"):
        ask("https://nowhere.example/v1")
    model_servers.close()


def test_a_look_up_that_takes_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    go_on = threading.Event()
    monkeypatch.setattr(outbound, "look_up", lambda host, port: go_on.wait(20) and [])
    monkeypatch.setattr(model_servers, "LOOK_UP_SECONDS", 0.05)
    with pytest.raises(ValueError, match="could not be looked up within"):
        model_servers.check_url("https://slow.example/v1")
    go_on.set()


def test_connections_that_are_no_longer_used_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_servers, "OPEN_LIMIT", 2)
    monkeypatch.setattr(model_servers, "VERDICT_SECONDS", 0.01)
    urls = [f"https://8.8.8.8:{port}/v1" for port in (1, 2, 3)]
    first = model_servers.client_of(urls[0])
    assert model_servers.client_of(urls[0]) is first
    for url in urls[1:]:
        model_servers.client_of(url)
    assert model_servers.client_of(urls[0]) is not first
    model_servers.close()


def test_a_server_that_is_stored_and_no_url_is_an_error_of_the_call() -> None:
    for url in ("nonsense", "http://[::1", "https://user@8.8.8.8\\x"):
        with pytest.raises(ModelFailed):
            ask(url)
    model_servers.close()


@pytest.mark.parametrize(
    ("read", "words", "said_so"),
    [
        (model_hosts, ["ok.example", "http://x"], "MODEL_HOSTS_ALLOWED: 'http://x' is not understood"),
        (model_keys, ["https://x.example=sk-1", "sk-secret"], "MODEL_KEYS: entry 2 must be an origin and a key"),
        (model_keys, ["https://x.example/v1=sk-secret"], "MODEL_KEYS: entry 1"),
        (model_keys, ["https://x.example="], "MODEL_KEYS: entry 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused_without_their_keys(
    read: Callable[[list[str]], Any], words: list[str], said_so: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=said_so) as refused:
        read(words)
    assert "secret" not in str(refused.value)


def test_keys_are_read_by_their_origin() -> None:
    found = model_keys(["https://Gateway.example=sk-a=b", "http://lan:8000/=x"])
    assert found == {"https://gateway.example:443": "sk-a=b", "http://lan:8000": "x"}
