"""httpx over our transport: what the SDK's client sends goes where every other call goes.

So the limits of size and time, and the policy of addresses, hold on its bindings too.
"""

from typing import Final

import httpx

from casino_agentkit.bounds import ReplyBounds, is_deeper, values_in
from casino_agentkit.client.transport import Transport
from casino_agentkit.errors import ProtocolFault

_PASSED_ON: Final = frozenset(
    {
        "accept",
        "a2a-extensions",
        "a2a-version",
        "authorization",
        "content-type",
        "x-a2a-extensions",  # as A2A 0.3 names it
    }
)
_OK: Final = 200
_ENVELOPE: Final = 16
"""Levels that a protocol puts around an answer."""
_NO_LIMIT_S: Final = 3_600.0
"""Where httpx is given no time limit; the caller's deadline holds in any case."""


class HttpxBridge(httpx.AsyncBaseTransport):
    """Sends httpx's requests through a `Transport`, and hands on only replies worth converting.

    Errors of the transport pass through as they are.
    """

    def __init__(self, transport: Transport, bounds: ReplyBounds) -> None:
        self._transport = transport
        self._bounds = bounds

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the whole reply; raises our errors, ProtocolFault for one that is too much."""
        headers = {
            name: value for name, value in request.headers.items() if name.lower() in _PASSED_ON
        }
        limit = request.extensions.get("timeout", {}).get("read")
        url = str(request.url)
        reply = await self._transport.send(
            request.method,
            url,
            headers,
            await request.aread(),
            _NO_LIMIT_S if limit is None else limit,
        )
        try:
            self._check(reply.body)
        except ValueError as error:
            if reply.status == _OK:
                raise ProtocolFault(url, f"the reply {error}") from error
            return httpx.Response(reply.status, request=request)  # the status says enough
        return httpx.Response(reply.status, content=reply.body, request=request)

    def _check(self, body: bytes) -> None:
        """Raise ValueError for a body that the SDK would take too long to convert."""
        if len(body) > self._bounds.converted_body:
            raise ValueError(f"is larger than {self._bounds.converted_body} bytes")
        value = self._bounds.parse(body)
        if is_deeper(value, self._bounds.deepest + _ENVELOPE):
            raise ValueError("is nested too deep")
        if values_in(value, self._bounds.converted) > self._bounds.converted:
            raise ValueError(f"holds more than {self._bounds.converted} values")


def http_client(transport: Transport, bounds: ReplyBounds) -> httpx.AsyncClient:
    """Return a client that has no connections of its own, and heeds no proxy or .netrc."""
    return httpx.AsyncClient(transport=HttpxBridge(transport, bounds), trust_env=False)
