"""Serves rooms and the whole lobby as server-sent events, within limits of clients and addresses.

A stream starts with a snapshot, or resumes exactly after the client's last event. A slow client
never delays another client.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.network import network_of
from casino_contracts import Reason
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from casino_lobby import event_stream
from casino_lobby.access.operator import Operator, is_of_casino
from casino_lobby.access.request_budget import STREAM, RequestBudget, weight_of_bytes
from casino_lobby.domain.room import Room
from casino_lobby.errors import TooFarBehind
from casino_lobby.event_stream import Broadcaster, Pages, reached
from casino_lobby.lobby_metrics import DropReason, LobbyMetrics, StreamCap, StreamFeed
from casino_lobby.problem import Problem, ProblemType
from casino_lobby.service.use_cases import UseCases
from casino_lobby.store import Store
from casino_lobby.stream_reader import HandDelay, StreamReader

_RETRY_AFTER_S = 5
_OPERATOR_SHARE = 10
"""One in this many streams is reserved for the operator."""

_MAX_PAUSE_S = 5.0
"""Between two replayed pages; a shutdown waits at most as long."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class StreamLimits:
    """Limits of streams.

    `clients` is the maximum of open streams; one in ten is reserved for the operator, if there is
    one. `heartbeat` is the interval of heartbeat comments on an idle stream. `send_timeout` is the
    time after which a client that reads nothing is disconnected. `per_address` is the maximum per
    address (0: no limit), not counting the operator's.
    """

    clients: int
    heartbeat: timedelta
    send_timeout: timedelta
    per_address: int = 20


class Client(NamedTuple):
    """The network address of a client, and whether it has a key of the casino."""

    address: str
    is_operator: bool


class StreamPlaces:
    """Counts the open streams and enforces their limits."""

    def __init__(self, limits: StreamLimits, operator: Operator, metrics: LobbyMetrics) -> None:
        self._limits = limits
        self._operator = operator
        self._metrics = metrics
        self._count = self._public_count = 0
        self._by_address: Counter[str] = Counter()

    def client(self, request: Request) -> Client:
        """Return the client of a request; without a valid key it is not the operator."""
        address = network_of(request.client.host if request.client else "")
        return Client(address, is_operator=is_of_casino(request, self._operator))

    def refuse_beyond(self, client: Client) -> None:
        maximum = self._limits.clients
        if self._count >= maximum:
            raise self._too_many("lobby", f"{maximum} streams are open, the maximum of this lobby")
        if client.is_operator:
            return
        if self._operator.is_known:
            maximum -= maximum // _OPERATOR_SHARE
        if self._public_count >= maximum:
            raise self._too_many(
                "lobby", f"{maximum} streams are open, the maximum without the operator's key"
            )
        per_address = self._limits.per_address
        if per_address and self._by_address[client.address] >= per_address:
            raise self._too_many(
                "address",
                f"this address has {per_address} open streams, the maximum"
                " (CASINO_LOBBY_STREAMS_PER_ADDRESS)",
            )

    @contextmanager
    def held(self, client: Client) -> Iterator[None]:
        increment = int(not client.is_operator)
        self._count += 1
        self._public_count += increment
        self._by_address[client.address] += increment
        try:
            yield
        finally:
            self._count -= 1
            self._public_count -= increment
            self._by_address[client.address] -= increment
            if not self._by_address[client.address]:
                del self._by_address[client.address]

    def _too_many(self, cap: StreamCap, cause: str) -> Problem:
        self._metrics.stream_refused[cap].inc()
        return Problem(
            ProblemType.TOO_MANY_STREAMS,
            f"{cause}; close one, or try again later.",
            headers={"Retry-After": str(_RETRY_AFTER_S)},
        )


class Streams:
    """Opens streams.

    Replayed events are charged to the `budget` of the client's address, and replay slows down when
    it is used up. Live events are free. `sleep` takes seconds.
    """

    def __init__(
        self,
        lobby: UseCases,
        store: Store,
        feed: Broadcaster,
        limits: StreamLimits,
        *,
        operator: Operator,
        metrics: LobbyMetrics,
        budget: RequestBudget | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._lobby = lobby
        self._store = store
        self._feed = feed
        self._limits = limits
        self._metrics = metrics
        self._budget = budget
        self._sleep = sleep
        self._places = StreamPlaces(limits, operator, metrics)
        self._is_closed = False

    def close(self) -> None:
        """End every stream after its queued events and refuse new ones."""
        self._is_closed = True
        self._feed.close()

    def open(
        self, request: Request, room: Room | None, after: int | None, feed: StreamFeed = "public"
    ) -> Response:
        """May raise Problem: TOO_MANY_STREAMS, CommandRefused: DRAINING, TOO_MANY_REQUESTS."""
        if self._is_closed:
            raise CommandRefused(Reason.DRAINING, "The lobby is shutting down; try again later.")
        client = self._places.client(request)
        self._places.refuse_beyond(client)
        if self._budget is not None and not client.is_operator:
            self._budget.take(client.address, STREAM)
        late = feed == "commentator"
        reader = StreamReader(self._store, self._feed, room, after, late=late)
        pages = reader.pages()
        if late and room is not None:
            pages = HandDelay(room, self._lobby.records).late(pages)
        topic = room.room_id if room else "all"
        content = self._bytes(pages, reader.cursor, topic, client)
        return _Stream(self, content, feed, topic, self._limits, client)

    async def _bytes(
        self, pages: Pages, sent: int, topic: str, client: Client
    ) -> AsyncIterator[bytes]:
        newest, is_replay = self._store.last_cursor, True
        try:
            async with aclosing(pages):  # removes the subscription of a disconnected client
                async for page in pages:
                    data = b"".join([item.data for item in page])
                    yield data
                    sent = reached(page, sent)
                    if is_replay:
                        await self._charge(client, len(data))
                        is_replay = sent < newest
        except TooFarBehind:
            self.dropped("lagged", topic)
            yield event_stream.lagged(sent).data

    async def _charge(self, client: Client, size: int) -> None:
        """Charge for replayed bytes and wait until the budget of the address allows more."""
        if self._budget is None or client.is_operator:
            return
        wait_s = self._budget.charge(client.address, weight_of_bytes(size))
        if wait_s > 0:
            await self._sleep(min(wait_s, _MAX_PAUSE_S))

    @contextmanager
    def counted(self, feed: StreamFeed, client: Client) -> Iterator[None]:
        with self._places.held(client), self._metrics.stream_clients[feed].track_inprogress():
            yield

    def dropped(self, reason: DropReason, room: str) -> None:
        self._metrics.stream_dropped[reason].inc()
        logger.info("stream_dropped", room=room, reason=reason)


class _Stream(EventSourceResponse):
    """The response to one client."""

    def __init__(
        self,
        streams: Streams,
        content: AsyncIterator[bytes],
        feed: StreamFeed,
        topic: str,
        limits: StreamLimits,
        client: Client,
    ) -> None:
        super().__init__(
            content,
            ping=limits.heartbeat.total_seconds(),
            ping_message_factory=lambda: ServerSentEvent(comment="heartbeat", sep="\n"),
            sep="\n",
            send_timeout=limits.send_timeout.total_seconds(),
        )
        self._streams = streams
        self._feed = feed
        self._topic = topic
        self._client = client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream until it ends."""
        with self._streams.counted(self._feed, self._client):
            try:
                await super().__call__(scope, receive, send)
            except* SendTimeoutError:  # of one write, or of a page and a heartbeat at a time
                # The server closes the connection.
                self._streams.dropped("stalled", self._topic)
