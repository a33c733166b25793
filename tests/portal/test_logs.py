"""Lines of the log: no secret stands in them, whoever wrote them."""

import logging
import sys

import pytest
from django.conf import settings

from portal import logs

TOKEN = "hk_" + "a1B2" * 8


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"token {TOKEN} was used", "token [redacted] was used"),
        (f"Authorization: Bearer {TOKEN}", "Authorization: [redacted]"),
        ("Incorrect API key provided: sk-proj-abcdefghijklmnop1234", "Incorrect API key provided: [redacted]"),
        ("postgres://portal:s3cret@db/portal", "postgres://portal:[redacted]@db/portal"),
        ("{'password': 'correct-horse', 'name': 'bob'}", "{'password': '[redacted]', 'name': 'bob'}"),
        ("username=bob&password=correct-horse&next=/", "username=bob&password=[redacted]&next=/"),
        ("GET /hooks/?q=key 200", "GET /hooks/?q=key 200"),
        ("The token is unknown. hk_ is the prefix.", "The token is unknown. hk_ is the prefix."),
    ],
)
def test_what_looks_like_a_secret_is_taken_out(text: str, left: str) -> None:
    assert logs.redacted(text) == left


@pytest.fixture
def plain_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets that look like nothing in particular."""
    monkeypatch.setenv("OIDC_CLIENT_SECRET", "plain words of a secret")
    monkeypatch.setenv("SOMETHING_URL", "https://u:p%40ssword1@host/")
    monkeypatch.setattr(settings, "MODEL_KEYS", {"https://x:443": "gateway-key-1"})
    logs.known.cache_clear()


def test_the_portals_own_secrets_are_known(plain_secrets: None) -> None:
    text = f"a {settings.SECRET_KEY} b plain words of a secret c p@ssword1 d gateway-key-1 e"
    assert logs.redacted(text) == "a [redacted] b [redacted] c [redacted] d [redacted] e"
    logs.known.cache_clear()


def test_tracebacks_are_cleaned_too() -> None:
    try:
        raise ValueError(f"cannot read {TOKEN}")
    except ValueError:
        fault = sys.exc_info()
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "with %s", (TOKEN,), fault)
    line = logs.Formatter("%(message)s").format(record)
    assert TOKEN not in line and line.count("[redacted]") == 2 and "Traceback" in line


def test_every_line_of_the_portal_goes_through_it() -> None:
    formatters = settings.LOGGING["formatters"]
    used = {handler["formatter"] for handler in settings.LOGGING["handlers"].values()}
    assert {formatters[name]["()"] for name in used} == {"portal.logs.Formatter"}


def test_so_do_those_of_the_web_server() -> None:
    handlers = logging.getLogger("gunicorn.error").handlers
    assert handlers and all(isinstance(handler.formatter, logs.Formatter) for handler in handlers)
