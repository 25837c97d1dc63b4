"""Serves rooms and the whole lobby as server-sent events.

A stream starts with a snapshot, or resumes exactly after the client's last event. A slow client
never delays another client.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import Reason
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from casino_lobby.access.operator import Operator
from casino_lobby.access.request_budget import STREAM, RequestBudget, weight_of_bytes
from casino_lobby.domain.room import Room
from casino_lobby.errors import TooFarBehind
from casino_lobby.metrics import DropReason, LobbyMetrics, StreamFeed
from casino_lobby.service.use_cases import UseCases
from casino_lobby.store import Store
from casino_lobby.streaming import frames
from casino_lobby.streaming.broadcaster import Broadcaster, Pages, reached
from casino_lobby.streaming.delayed import HandDelay
from casino_lobby.streaming.places import Client, StreamLimits, StreamPlaces
from casino_lobby.streaming.reader import StreamReader

__all__ = ["StreamLimits", "Streams"]

_MAX_PAUSE_S = 5.0
"""Between two replayed pages; a shutdown waits at most as long."""

logger = structlog.get_logger(__name__)


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
        self,
        request: Request,
        room: Room | None,
        after: int | None,
        feed: StreamFeed = "public",
    ) -> Response:
        """Return the stream of a room, or of the lobby if `room` is None, after a cursor.

        Raises Problem: TOO_MANY_STREAMS, and CommandRefused: DRAINING, TOO_MANY_REQUESTS.
        """
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
                    data = b"".join(item.data for item in page)
                    yield data
                    sent = reached(page, sent)
                    if is_replay:
                        await self._charge(client, len(data))
                        is_replay = sent < newest
        except TooFarBehind:
            self.dropped("lagged", topic)
            yield frames.lagged(sent).data

    async def _charge(self, client: Client, size: int) -> None:
        """Charge for replayed bytes and wait until the budget of the address allows more."""
        if self._budget is None or client.is_operator:
            return
        wait_s = self._budget.charge(client.address, weight_of_bytes(size))
        if wait_s > 0:
            await self._sleep(min(wait_s, _MAX_PAUSE_S))

    @contextmanager
    def counted(self, feed: StreamFeed, client: Client) -> Iterator[None]:
        """Count a stream while it is open."""
        with self._places.held(client), self._metrics.stream_clients[feed].track_inprogress():
            yield

    def dropped(self, reason: DropReason, room: str) -> None:
        """Record that a client was disconnected."""
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
