"""Client of other agents: resolve a card once, then make typed calls with deadlines.

>>> client = AgentClient(HttpTransport())
>>> player = await client.resolve("http://127.0.0.1:4101", timeout=timedelta(seconds=2))
>>> answer = await player.call("act", request, ActionResponse, timeout=timedelta(seconds=10))
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NoReturn
from urllib.parse import quote

from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.agent_card import checked_address, choose_interface
from casino_agentkit.client.agent_reply import details_in, issues_in, retry_after_s, text_of
from casino_agentkit.client.card_discovery import FoundCard, fetch_card, read_url
from casino_agentkit.client.http.http_reply import HttpReply
from casino_agentkit.client.jsonrpc import JsonRpcBinding
from casino_agentkit.client.outgoing import CallSlots, Deadline, is_same_origin, slot
from casino_agentkit.client.remote_agent import Binding, Cancellations, RemoteAgent
from casino_agentkit.client.transport import HttpTransport, Transport, send_following
from casino_agentkit.errors import (
    AddressNotAllowed,
    KitReason,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
)
from casino_agentkit.process.late_imports import import_late
from casino_agentkit.protocol import JSON, MessageIds, reason_of

if TYPE_CHECKING:
    from casino_agentkit.client.sdk_binding import SdkBindings


_HEADERS: Final = {"Content-Type": JSON}
_DOTS: Final = frozenset({"", ".", ".."})
_REFUSED: Final = -32000
_CODES: Final = {
    "invalid_input": -32602,
    "invalid_request": -32600,
    "entrypoint_not_found": -32601,
    "internal_error": -32603,
    "invalid_output": -32603,
}
"""JSON-RPC codes of the profile's own codes; `_REFUSED` for all others."""
_CREDENTIALS: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class InvokeBinding:
    """Calls the skills of one agent below a URL, whose path ends with a slash."""

    def __init__(self, transport: Transport, url: str, bounds: ReplyBounds) -> None:
        self.url = url
        self._transport = transport
        self._bounds = bounds

    async def send(
        self,
        skill: str,
        data: bytes | None,
        _text: str | None,
        _context_id: str | None,
        timeout_s: float,
        token: str | None = None,
    ) -> dict[str, Any]:
        """Send data; return the output as that of a message. No texts, no contexts."""
        if skill in _DOTS:
            raise ProtocolFault(self.url, "the skill's name would change the URL")
        below, mark, query = self.url.partition("?")
        url = f"{below}{quote(skill, safe='')}/invoke{mark}{query}"
        headers = {**_HEADERS, "Authorization": f"Bearer {token}"} if token else _HEADERS
        body = b'{"input":' + (data or b"{}") + b"}"
        reply = await send_following(self._transport, "POST", url, headers, body, timeout_s)
        if not HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
            self._raise(reply)
        try:
            content = self._bounds.parse(reply.body)
        except ValueError as error:
            raise ProtocolFault(self.url, f"the reply {error}") from error
        if not isinstance(content, dict) or "output" not in content:
            # The content is not included: the URL may be of an unrelated internal service.
            raise ProtocolFault(self.url, "the reply has no output")
        return {"message": {"parts": [{"data": content["output"]}]}}

    async def get_task(
        self, _task_id: str, _timeout_s: float, _token: str | None = None
    ) -> dict[str, Any]:
        """Raise ProtocolFault: the profile's replies are never tasks."""
        raise ProtocolFault(self.url, "the agent has no tasks")

    async def cancel_task(
        self, _task_id: str, _timeout_s: float, _token: str | None = None
    ) -> None:
        """Raise ProtocolFault: the profile's replies are never tasks."""
        raise ProtocolFault(self.url, "the agent has no tasks")

    def _raise(self, reply: HttpReply) -> NoReturn:
        """Raise RemoteRefused for an error of the profile, otherwise ProtocolFault."""
        status, later_s = reply.status, retry_after_s(reply.retry_after)
        try:
            content = self._bounds.parse(reply.body)
        except ValueError:
            content = None
        error = content.get("error") if isinstance(content, dict) else None
        code = error.get("code") if isinstance(error, dict) else None
        if not isinstance(error, dict) or not isinstance(code, str):
            raise ProtocolFault(
                self.url, f"HTTP status {status}", status=status, retry_after_s=later_s
            )
        raise RemoteRefused(
            self.url,
            text_of(error.get("message")) or text_of(code) or "refused without a reason",
            code=status if status in _CREDENTIALS else _CODES.get(code, _REFUSED),
            reason=reason_of(error.get("reason")) or KitReason.UNKNOWN,
            violations=issues_in(error.get("issues")),
            details=details_in(error.get("details")),
            status=status,
            retry_after_s=later_s,
        )


_SDK_BINDINGS: Final = "casino_agentkit.client.sdk_binding"


class AgentClient:
    """Resolves and calls agents over one connection pool.

    `slots` limits the number of concurrent calls, `bounds` the size of replies. `deadline` is the
    timeout context, by default `asyncio.timeout`.
    """

    def __init__(
        self,
        transport: Transport | None = None,
        *,
        slots: CallSlots | None = None,
        bounds: ReplyBounds | None = None,
        deadline: Deadline = asyncio.timeout,
    ) -> None:
        self._transport = transport or HttpTransport()
        self._slots = slots
        self._bounds = bounds or ReplyBounds()
        self._deadline = deadline
        self._ids = MessageIds()
        self._sdk: SdkBindings | None = None
        self._cancellations = Cancellations(slots, deadline)

    async def resolve(self, url: str, *, timeout: timedelta) -> RemoteAgent:
        """Return an agent within `timeout`. Raises Unreachable, TimedOut, or ProtocolFault."""
        async with self._within(url, timeout) as seconds:
            fetched = await fetch_card(self._transport, url, seconds, self._bounds)
            binding = await self._binding(url, fetched)
        return RemoteAgent(
            fetched,
            url,
            binding,
            bounds=self._bounds,
            slots=self._slots,
            deadline=self._deadline,
            cancellations=self._cancellations,
        )

    async def _binding(self, url: str, fetched: FoundCard) -> Binding:
        if fetched.invoke_url is not None:
            address = await checked_address(self._transport, url, fetched.invoke_url)
            return InvokeBinding(self._transport, address, self._bounds)
        interface = await choose_interface(self._transport, url, fetched.card)
        if interface.is_fast:
            return JsonRpcBinding(
                self._transport, interface.url, interface.tenant, self._ids, self._bounds
            )
        return await (await self._sdk_bindings()).binding(interface, url)

    async def _sdk_bindings(self) -> "SdkBindings":
        """Return the bindings through the SDK, which is imported at the first use."""
        await import_late(_SDK_BINDINGS)
        from casino_agentkit.client.sdk_binding import SdkBindings  # noqa: PLC0415

        if self._sdk is None:
            self._sdk = SdkBindings(self._transport, self._ids, self._bounds)
        return self._sdk

    async def card_content(self, url: str, *, timeout: timedelta) -> bytes:
        """Return the JSON of the card that `resolve` reads; raises as it does."""
        async with self._within(url, timeout) as seconds:
            card = await fetch_card(self._transport, url, seconds, self._bounds)
        return bytes(card.content)

    async def read(self, url: str, *, within: str, timeout: timedelta) -> bytes:
        """Raise Unreachable (also off the origin of `within`), TimedOut, ProtocolFault."""
        async with self._within(url, timeout) as seconds:
            try:
                is_within = is_same_origin(url, within)
            except ValueError:
                is_within = False
            if not is_within:
                raise AddressNotAllowed(url, f"is not on the origin of {within}")
            return await read_url(self._transport, url, seconds)

    @asynccontextmanager
    async def _within(self, url: str, timeout: timedelta) -> AsyncIterator[float]:
        """Hold a slot, if slots are limited, until the deadline; yields the timeout in seconds."""
        seconds = timeout.total_seconds()
        try:
            async with self._deadline(seconds), slot(self._slots, url):
                yield seconds
        except TimeoutError as error:
            raise TimedOut(url, f"no reply within {seconds:.3g} s") from error

    async def close(self) -> None:
        await self._cancellations.end()
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()
        await self._transport.close()
