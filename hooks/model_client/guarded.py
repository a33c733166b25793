"""A transport that connects to checked addresses alone. Importing this imports `httpx2`."""

import asyncio
from collections.abc import Callable, Sequence

import httpx2

from portal import outbound

Guard = Callable[[str, int, Sequence[str]], None]
"""Looks at a host, a port and the addresses that the host has now. Raises outbound.NotAllowed."""


# What the client adds of its own accord or from the environment (OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS, a key) is not for others.
SENT = {"host", "accept", "accept-encoding", "connection", "content-length", "content-type", "transfer-encoding"}


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Looks the host up for each request, has the guard look at what was found, and connects to that, with `key` or none.

    Proxies of the environment are not used: they would look the name up themselves, unchecked.
    """

    def __init__(self, guard: Guard, key: str) -> None:
        self._guard, self._key, self._inner = guard, key, httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        request.headers = httpx2.Headers([pair for pair in request.headers.multi_items() if pair[0].lower() in SENT])
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        if url.scheme not in outbound.PORTS:
            raise httpx2.UnsupportedProtocol("a base URL must begin with https:// or http://")
        host, port = url.host, url.port or outbound.PORTS[url.scheme]
        try:
            addresses = await asyncio.get_running_loop().run_in_executor(None, outbound.look_up, host, port)
        except OSError as error:
            raise httpx2.ConnectError(str(error)) from error
        self._guard(host, port, addresses)
        # The certificate is still that of the name, and so is the Host header, which the request has already.
        request.extensions = {**request.extensions, "sni_hostname": host}
        for left in range(len(addresses) - 1, -1, -1):
            request.url = url.copy_with(host=addresses[-1 - left])
            try:
                return await self._inner.handle_async_request(request)
            except httpx2.ConnectError:
                if not left:
                    raise
        raise httpx2.ConnectError(f"{host} has no address")

    async def aclose(self) -> None:
        await self._inner.aclose()
