"""Client of other agents: resolve a card once, then make typed calls with deadlines.

>>> client = AgentClient(HttpTransport())
>>> player = await client.resolve("http://127.0.0.1:4101", timeout=timedelta(seconds=2))
>>> answer = await player.call("act", request, ActionResponse, timeout=timedelta(seconds=10))
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from casino_agentkit.bounds import ReplyBounds
from casino_agentkit.client.cards.card_discovery import FoundCard, fetch_card, read_url
from casino_agentkit.client.cards.interfaces import check_invoked, choose_interface
from casino_agentkit.client.invoke import InvokeBinding
from casino_agentkit.client.jsonrpc import JsonRpcBinding
from casino_agentkit.client.outgoing import is_same_origin
from casino_agentkit.client.remote_agent import Binding, RemoteAgent
from casino_agentkit.client.transport import HttpTransport, Transport
from casino_agentkit.client.waiting import CallSlots, Cancellations, Deadline
from casino_agentkit.errors import AddressNotAllowed, TimedOut
from casino_agentkit.process.late_imports import import_late
from casino_agentkit.protocol import MessageIds

if TYPE_CHECKING:
    from casino_agentkit.client.sdk_binding import SdkBindings


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
        """Return the agent whose card, or whose base URL, is `url`.

        `timeout` covers everything, including each candidate address and redirect.
        Raises Unreachable, TimedOut, or ProtocolFault if there is no usable card.
        """
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
        """Return the way to call the agent whose card is at `url`."""
        if fetched.invoke_url is not None:
            await check_invoked(self._transport, url, fetched.invoke_url)
            return InvokeBinding(self._transport, fetched.invoke_url, self._bounds)
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
        """Return the body of an HTTP GET; the URL must be on the origin of `within`.

        Raises Unreachable (AddressNotAllowed for another origin), TimedOut, or ProtocolFault for
        any status other than 200.
        """
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
            async with self._deadline(seconds):
                if self._slots is None:
                    yield seconds
                else:
                    async with self._slots.taken(url):
                        yield seconds
        except TimeoutError as error:
            raise TimedOut(url, f"no reply within {seconds:.3g} s") from error

    async def close(self) -> None:
        """Close all connections."""
        await self._cancellations.end()
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()
        await self._transport.close()
