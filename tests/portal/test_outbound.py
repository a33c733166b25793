"""Where the portal may connect on the word of an admin: what is typed, and what a name leads to."""

import ipaddress
from collections.abc import Sequence

import pytest

from portal.outbound import Allowed, NotAllowed, check, is_public, look_up, place_of, read_base_url

PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b:1::7f00:1",
    "5f00::1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2001:0:a9fe:a9fe::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
]
PUBLIC = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    with pytest.raises(NotAllowed, match="no public address"):
        check("models.example", 443, [address], [])
    with pytest.raises(NotAllowed):  # one among good ones is enough
        check("models.example", 443, ["8.8.8.8", address], [])


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_that_are_public(address: str) -> None:
    check("models.example", 443, [address], [])


def test_a_link_local_address_with_its_zone() -> None:
    with pytest.raises(NotAllowed):
        check("x", 80, ["fe80::1%eth0"], [])


def test_a_host_without_addresses() -> None:
    with pytest.raises(NotAllowed, match="no address"):
        check("x", 80, [], [])


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "017700000001", "localhost", "::1", "0"],
)
def test_this_machine_in_all_its_spellings(host: str) -> None:
    addresses = look_up(host, 80)
    assert addresses
    with pytest.raises(NotAllowed):
        check(host, 80, addresses, [])


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example"])
def test_names_that_are_none(host: str) -> None:
    with pytest.raises(OSError):
        look_up(host, 80)


@pytest.mark.parametrize(
    ("entries", "host", "port", "address", "allowed"),
    [
        (["localhost"], "localhost", 11434, "127.0.0.1", True),
        (["localhost:11434"], "localhost", 11434, "127.0.0.1", True),
        (["localhost:11434"], "localhost", 6379, "127.0.0.1", False),
        (["LOCALHOST."], "localhost.", 80, "127.0.0.1", True),
        (["localhost"], "notlocalhost", 80, "127.0.0.1", False),
        (["lan"], "evil.lan", 80, "10.0.0.1", False),
        (["10.0.0.0/8"], "models.lan", 80, "10.1.2.3", True),
        (["10.0.0.0/8"], "models.lan", 80, "192.168.0.1", False),
        (["10.0.0.0/8:8000"], "models.lan", 8000, "10.1.2.3", True),
        (["10.0.0.0/8:8000"], "models.lan", 22, "10.1.2.3", False),
        (["10.0.0.5"], "models.lan", 80, "10.0.0.5", True),
        (["[::1]:8080"], "::1", 8080, "::1", True),
        (["::1"], "::1", 1, "::1", True),
        (["::1"], "x", 1, "127.0.0.1", False),
        (["0.0.0.0/0", "::/0"], "x", 80, "127.0.0.1", True),
        (["0.0.0.0/0", "::/0"], "x", 80, "169.254.169.254", False),
        (["x"], "x", 80, "169.254.169.254", False),
        (["169.254.169.254"], "x", 80, "169.254.169.254", True),
    ],
)
def test_what_the_operator_allows(entries: Sequence[str], host: str, port: int, address: str, allowed: bool) -> None:
    rules = [Allowed.read(entry) for entry in entries]
    if allowed:
        check(host, port, [address], rules)
    else:
        with pytest.raises(NotAllowed):
            check(host, port, [address], rules)


@pytest.mark.parametrize("entry", ["", "a b", "host:99999", "host:0", "http://host", "10.0.0.0/99", "*.lan", "[x]:1:2"])
def test_entries_that_are_none(entry: str) -> None:
    with pytest.raises(ValueError):
        Allowed.read(entry)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("ftp://example.com", "https:// or http://"),
        ("file:///etc/passwd", "https:// or http://"),
        ("gopher://127.0.0.1:6379/_", "https:// or http://"),
        ("javascript:alert(1)", "https:// or http://"),
        ("//example.com", "https:// or http://"),
        ("example.com", "https:// or http://"),
        ("https://user:secret@example.com", "no user name or password"),
        ("https://key@example.com", "no user name or password"),
        ("https://example.com@127.0.0.1/v1", "no user name or password"),
        ("https://example.com\\@127.0.0.1/", "characters that a URL has not"),
        ("https://example.com/v1?key=1", "no query and no fragment"),
        ("https://example.com/v1?", "no query and no fragment"),
        ("https://example.com/#x", "no query and no fragment"),
        ("https://", "needs a host"),
        ("https:///v1", "needs a host"),
        ("https://-x.com", "needs a host"),
        ("https://exa mple.com", "characters that a URL has not"),
        ("https://example.com/\r\nX: y", "characters that a URL has not"),
        ("https://ex\x00ample.com", "characters that a URL has not"),
        ("https://①②⑦.⓪.⓪.①/", "characters that a URL has not"),
        ("https://bücher.example", "xn--"),
        ("https://example.com:0/", "needs a host"),
        ("https://example.com:99999/", "is no URL"),
        ("https://example.com:x/", "is no URL"),
        ("https://[::1", "is no URL"),
        ("https://[fe80::1%25eth0]/", "needs a host"),
        ("https://%31%32%37.0.0.1/", "needs a host"),
        ("https://example.com/" + "x" * 500, "at most 500"),
    ],
)
def test_base_urls_that_are_refused(typed: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_base_url(typed)


@pytest.mark.parametrize(
    ("typed", "url", "origin"),
    [
        (" https://Example.com/v1/ ", "https://Example.com/v1", "https://example.com:443"),
        ("http://models.lan:11434/v1", "http://models.lan:11434/v1", "http://models.lan:11434"),
        ("HTTPS://x.example", "HTTPS://x.example", "https://x.example:443"),
        (
            "https://[2606:4700::1]:8443/openai/v1",
            "https://[2606:4700::1]:8443/openai/v1",
            "https://[2606:4700::1]:8443",
        ),
    ],
)
def test_base_urls_that_are_taken(typed: str, url: str, origin: str) -> None:
    read, place = read_base_url(typed)
    assert (read, place.origin) == (url, origin)


@pytest.mark.parametrize("url", ["", "nothing", "https://", "mailto:x", "https://[", "https://x:y"])
def test_places_of_what_is_no_url(url: str) -> None:
    assert place_of(url) is None
