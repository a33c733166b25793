"""Where the portal may connect on the word of an admin: nowhere inside the operator's network, unless the operator said so.

Names are looked up anew for each connection, and what is connected to is the address that was checked: a name that leads
elsewhere a second later gains nothing. Addresses in odd spellings (`0x7f.1`, `2130706433`) are what the system's own look-up
makes of them, so they need no rules.
"""

import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
URL_LIMIT = 500
PORTS = {"http": 80, "https": 443}
# Where clouds give out credentials. Only an entry of the very address admits one.
METADATA = frozenset(
    ipaddress.ip_address(one)
    for one in ("169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254")
)
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
UNICAST = ipaddress.IPv6Network("2000::/3")
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?", re.ASCII)
_REST = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/%-]*", re.ASCII)


class NotAllowed(Exception):
    """A connection would lead where the portal may not go."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a base URL leads. `origin` is the same for all spellings of one scheme, host and port."""

    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self._host}:{self.port}"

    @property
    def shown(self) -> str:
        """The same for people, who leave out the port that goes without saying."""
        return f"{self.scheme}://{self._host}" if self.port == PORTS.get(self.scheme) else self.origin

    @property
    def _host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


@dataclass(frozen=True, slots=True)
class Allowed:
    """An entry of MODEL_HOSTS_ALLOWED: a name, an address or a network; `port` None is any."""

    name: str
    network: Network | None
    port: int | None

    @classmethod
    def read(cls, text: str) -> "Allowed":
        """Read `host`, `host:port`, `10.0.0.0/8`, `[::1]:8080`. Raises ValueError."""
        host, port = text.strip().lower(), None
        if found := re.fullmatch(r"(\[[^\]]*\]|[^:]*):([0-9]{1,5})", host):
            host, port = found[1], int(found[2])
            if not 0 < port < 65536:
                raise ValueError("a port is from 1 to 65535")
        host = host.removeprefix("[").removesuffix("]")
        try:
            return cls("", ipaddress.ip_network(host, strict=False), port)
        except ValueError:
            if not _HOST.fullmatch(host):
                raise ValueError("it is neither a host's name nor an address nor a network") from None
        return cls(host.removesuffix("."), None, port)

    def admits(self, host: str, port: int, address: Address) -> bool:
        if self.port not in (None, port):
            return False
        if address in METADATA and (self.network is None or self.network.num_addresses > 1):
            return False
        if self.network is None:
            return host.removesuffix(".") == self.name
        return address.version == self.network.version and address in self.network


def read_base_url(text: str) -> tuple[str, Place]:
    """Read a base URL that somebody typed; return it without a slash at its end, and where it leads. Raises ValueError."""
    url = text.strip()
    if len(url) > URL_LIMIT:
        raise ValueError(f"has {len(url):,} characters; at most {URL_LIMIT} are allowed.")
    if not url.isascii() or any(char <= " " or char in '\\"<>^`{|}\x7f' for char in url):
        raise ValueError("holds characters that a URL has not; write names of other scripts as xn--….")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"is no URL: {error}.") from None
    scheme, host = parts.scheme.lower(), (parts.hostname or "").lower()
    if scheme not in PORTS:
        raise ValueError("must begin with https:// or http://.")
    if "@" in parts.netloc:
        raise ValueError("must hold no user name or password: keys come from the environment (MODEL_KEYS).")
    if "?" in url or "#" in url:
        raise ValueError("must end with the path: no query and no fragment.")
    if port == 0 or not _is_host(host) or not _REST.fullmatch(parts.path):
        raise ValueError("needs a host, such as https://models.example.com/v1.")
    return url.rstrip("/"), Place(scheme, host, port or PORTS[scheme])


def place_of(url: str) -> Place | None:
    """Say where a URL of the operator's leads, whatever else it holds; None where it leads nowhere."""
    try:
        parts = urlsplit(url.strip())
        scheme = parts.scheme.lower()
        return Place(scheme, (parts.hostname or "").lower(), parts.port or PORTS[scheme]) if parts.hostname else None
    except (ValueError, KeyError):
        return None


def look_up(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a host; this may take seconds. Raises OSError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a label that is empty or too long
        raise OSError(str(error)) from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def check(host: str, port: int, addresses: Sequence[str], allowed: Sequence[Allowed]) -> None:
    """Hold every address of a host against the rules. Raises NotAllowed, with a sentence for people."""
    for text in addresses:
        address = ipaddress.ip_address(text.partition("%")[0])
        named = any(entry.admits(host.lower(), port, address) for entry in allowed)
        if not named and not is_public(address):
            where = host if host == text else f"{host} leads to {text}, which"
            raise NotAllowed(f"{where} is no public address. The operator can allow it with MODEL_HOSTS_ALLOWED.")
    if not addresses:
        raise NotAllowed(f"{host} has no address.")


def is_public(address: Address) -> bool:
    """Whether an address is out in the internet: not this machine, a private network, a link, or a cloud's metadata."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is None and address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address not in UNICAST:  # site-local, SIIT, a NAT64 of one's own, and what is not given out
            return False
    return address.is_global and not address.is_multicast and address not in METADATA


def _is_host(host: str) -> bool:
    if _HOST.fullmatch(host):
        return True
    try:
        return ipaddress.ip_address(host).version == 6 and "%" not in host
    except ValueError:
        return False
