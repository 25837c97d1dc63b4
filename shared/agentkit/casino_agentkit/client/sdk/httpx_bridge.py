"""httpx transport that sends the SDK client's requests through a `Transport`.

So the limits of size and time, and the address policy, apply to the SDK's bindings as well.
"""

from typing import Final

import httpx
import orjson

from casino_agentkit.bounds import ReplyBounds, is_deeper, values_in
from casino_agentkit.client.http.reply import HttpReply
from casino_agentkit.client.transport import Transport
from casino_agentkit.errors import ProtocolFault
from casino_agentkit.json_numbers import whole_numbers

_FORWARDED_HEADERS: Final = frozenset(
    {
        "accept",
        "a2a-extensions",
        "a2a-version",
        "authorization",
        "content-type",
        "x-a2a-extensions",  # its name in A2A 0.3
    }
)
_OK: Final = 200
_WHOLE: Final = b".0"
"""In each body with a whole number, as protobuf's `Value` has only doubles."""
_ENVELOPE: Final = 16
"""Nesting levels that a protocol adds around an answer."""
_NO_LIMIT_S: Final = 3_600.0
"""Used if httpx has no timeout; the caller's deadline applies in any case."""


class HttpxBridge(httpx.AsyncBaseTransport):
    """Sends httpx's requests through a `Transport`, and returns only replies within the bounds.

    Whole numbers are sent as integers. Errors of the transport are not converted.
    """

    def __init__(self, transport: Transport, bounds: ReplyBounds) -> None:
        self._transport = transport
        self._bounds = bounds

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the complete reply. Raises AgentError, ProtocolFault if it exceeds the bounds."""
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.lower() in _FORWARDED_HEADERS
        }
        limit = request.extensions.get("timeout", {}).get("read")
        url = str(request.url)
        reply = await self._transport.send(
            request.method,
            url,
            headers,
            _whole_numbers(await request.aread()),
            _NO_LIMIT_S if limit is None else limit,
        )
        try:
            self._check(reply.body)
        except ValueError as error:
            if reply.status == _OK:
                raise ProtocolFault(url, f"the reply {error}") from error
            return httpx.Response(  # without a body
                reply.status, headers=_headers(reply), request=request
            )
        return httpx.Response(
            reply.status, headers=_headers(reply), content=bytes(reply.body), request=request
        )

    def _check(self, body: bytes | bytearray) -> None:
        """Raise ValueError if the SDK would take too long to convert the body."""
        if len(body) > self._bounds.converted_body:
            raise ValueError(f"is larger than {self._bounds.converted_body} bytes")
        value = self._bounds.parse(body)
        if is_deeper(value, self._bounds.deepest + _ENVELOPE):
            raise ValueError("is nested too deep")
        if values_in(value, self._bounds.converted) > self._bounds.converted:
            raise ValueError(f"contains more than {self._bounds.converted} values")


def _headers(reply: HttpReply) -> dict[str, str]:
    return {"retry-after": reply.retry_after} if reply.retry_after else {}


def _whole_numbers(body: bytes) -> bytes:
    """Return the JSON that the SDK wrote with its integers restored."""
    return orjson.dumps(whole_numbers(orjson.loads(body))) if _WHOLE in body else body


def http_client(transport: Transport, bounds: ReplyBounds) -> httpx.AsyncClient:
    """Return a client without own connections, that ignores proxy settings and .netrc."""
    return httpx.AsyncClient(transport=HttpxBridge(transport, bounds), trust_env=False)
