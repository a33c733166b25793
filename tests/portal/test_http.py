"""Where requests come from, and answers of last resort."""

from typing import Any

import pytest
from django.test import Client, RequestFactory

from portal.http import client_address, wants_fragment


@pytest.mark.parametrize(
    ("peer", "forwarded", "trusted", "address"),
    [
        ("10.0.0.1", "", [], "10.0.0.1"),
        ("10.0.0.1", "1.2.3.4", [], "10.0.0.1"),
        ("10.0.0.1", "1.2.3.4", ["10.0.0.0/8"], "1.2.3.4"),
        ("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2", ["10.0.0.0/8"], "1.2.3.4"),
        ("10.0.0.1", "junk", ["10.0.0.1"], "junk"),
        ("", "1.2.3.4", ["10.0.0.1"], ""),
        ("::1", "2001:db8::1", ["::1"], "2001:db8::1"),
    ],
)
def test_client_address(settings: Any, peer: str, forwarded: str, trusted: list[str], address: str) -> None:
    settings.TRUSTED_PROXIES = trusted
    request = RequestFactory().get("/", REMOTE_ADDR=peer, headers={"X-Forwarded-For": forwarded})
    assert client_address(request) == address


def test_wants_fragment() -> None:
    from django_htmx.middleware import HtmxDetails

    def wants(**headers: str) -> bool:
        request = RequestFactory().get("/", headers={name.replace("_", "-"): value for name, value in headers.items()})
        request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]
        return wants_fragment(request)

    assert wants(HX_Request="true")
    assert not wants()
    assert not wants(HX_Request="true", HX_Boosted="true")
    assert not wants(HX_Request="true", HX_History_Restore_Request="true")
    assert not wants_fragment(RequestFactory().get("/"))


@pytest.mark.django_db
def test_a_page_that_is_not_there() -> None:
    response = Client().get("/no-such-page")
    assert (response.status_code, "json" in response["Content-Type"]) == (404, False)
