"""The live face: a room, or the whole lobby, as server-sent events.

A stream begins with a snapshot, or goes on exactly after the event whose id the client had last.
Nothing a client does is waited for by anybody else.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager

import structlog
from casino_agentkit import CommandRefused, Violation
from casino_contracts import MAX_SAFE
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from casino_lobby.access.operator import Operator, bearer_token
from casino_lobby.access.request_budget import STREAM, RequestBudget, weight_of_bytes
from casino_lobby.domain.room import Room
from casino_lobby.metrics import DropReason, LobbyMetrics, StreamFeed
from casino_lobby.problems.problem import Problem, ProblemType
from casino_lobby.service.lobby import LobbyService
from casino_lobby.store import Store
from casino_lobby.streaming import frames
from casino_lobby.streaming.broadcaster import Broadcaster, Pages, reached
from casino_lobby.streaming.delayed import HandDelay
from casino_lobby.streaming.places import Client, StreamLimits, StreamPlaces
from casino_lobby.streaming.reader import StreamReader, TooFarBehind

__all__ = ["StreamLimits", "Streams"]

_LONGEST_PAUSE_S = 5.0
"""Between two pages of the past: a stream that is to end must not wait longer."""

logger = structlog.get_logger(__name__)


class Streams:
    """Serves the streams.

    What a stream tells of the past is paid out of the `budget` of its address, and is told slowly
    when that is used up; what happens from now on costs nothing. `sleep` waits for seconds.
    """

    def __init__(
        self,
        casino: LobbyService,
        store: Store,
        feed: Broadcaster,
        limits: StreamLimits,
        *,
        operator: Operator,
        metrics: LobbyMetrics,
        budget: RequestBudget | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._casino = casino
        self._store = store
        self._feed = feed
        self._limits = limits
        self._operator = operator
        self._metrics = metrics
        self._budget = budget
        self._sleep = sleep
        self._places = StreamPlaces(limits, operator, metrics)
        self._is_closed = False

    def close(self) -> None:
        """End every stream after what is under way to it, and take no new ones."""
        self._is_closed = True
        self._feed.close()

    async def room(self, request: Request) -> Response:
        """Stream a room.

        Raises Problem, and CommandRefused: ROOM_NOT_FOUND, OPERATOR_ONLY, UNAUTHORIZED, DRAINING.
        """
        room = self._casino.room(request.path_params["roomId"])
        match request.query_params.get("feed", "public"):
            case "public":
                return self._response(request, room, "public")
            case "commentator":
                self._operator.admit_to_all_cards(
                    bearer_token(request.headers.get("authorization"))
                )
                return self._response(request, room, "commentator")
            case _:
                raise _faulty("feed", "must be public or commentator")

    async def lobby(self, request: Request) -> Response:
        """Stream the whole lobby.

        Raises Problem, and CommandRefused: DRAINING.
        """
        return self._response(request, None, "public")

    def _response(self, request: Request, room: Room | None, feed: StreamFeed) -> Response:
        after = _after(request)
        if self._is_closed:
            raise CommandRefused("DRAINING", "The casino is closing; try again later.")
        client = self._places.client(request)
        self._places.refuse_beyond(client)
        if self._budget is not None and not client.is_operator:
            self._budget.take(client.address, STREAM)
        late = feed == "commentator"
        reader = StreamReader(self._store, self._feed, room, after, late=late)
        pages = reader.pages()
        if late and room is not None:
            pages = HandDelay(room, self._casino.records).late(pages)
        where = room.room_id if room else "all"
        content = self._bytes(pages, reader.cursor, where, client)
        return _Stream(self, content, feed, where, self._limits, client)

    async def _bytes(
        self, pages: Pages, sent: int, where: str, client: Client
    ) -> AsyncIterator[bytes]:
        newest, is_past = self._store.last_cursor, True
        try:
            async with aclosing(pages):  # whoever goes away leaves no queue behind
                async for page in pages:
                    data = b"".join(item.data for item in page)
                    yield data
                    sent = reached(page, sent)
                    if is_past:
                        await self._pay(client, len(data))
                        is_past = sent < newest
        except TooFarBehind:
            self.dropped("lagged", where)
            yield frames.lagged(sent).data

    async def _pay(self, client: Client, size: int) -> None:
        """Pay for what was told of the past, and wait until the address may go on."""
        if self._budget is None or client.is_operator:
            return
        wait_s = self._budget.charge(client.address, weight_of_bytes(size))
        if wait_s > 0:
            await self._sleep(min(wait_s, _LONGEST_PAUSE_S))

    @contextmanager
    def counted(self, feed: StreamFeed, client: Client) -> Iterator[None]:
        """Count a stream while it is open."""
        with self._places.held(client), self._metrics.stream_clients[feed].track_inprogress():
            yield

    def dropped(self, reason: DropReason, room: str) -> None:
        """Note that a client was let go."""
        self._metrics.stream_dropped[reason].inc()
        logger.info("stream_dropped", room=room, reason=reason)


class _Stream(EventSourceResponse):
    """One client's response."""

    def __init__(
        self,
        streams: Streams,
        content: AsyncIterator[bytes],
        feed: StreamFeed,
        where: str,
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
        self._where = where
        self._client = client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until it is over."""
        with self._streams.counted(self._feed, self._client):
            try:
                await super().__call__(scope, receive, send)
            except SendTimeoutError:  # the server closes what has no end
                self._streams.dropped("stalled", self._where)


def _after(request: Request) -> int | None:
    """Return where to go on; a browser that comes back says so in the header, on the old URL."""
    name = "Last-Event-ID"
    text = request.headers.get(name)
    if not text:
        name = "after"
        text = request.query_params.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > len(str(MAX_SAFE)):
        raise _faulty(name, "must be the id of an event of a stream, a whole number")
    return int(text)


def _faulty(name: str, told: str) -> Problem:
    return Problem(ProblemType.INVALID_REQUEST, f"{name} {told}.", (Violation(name, told),))
