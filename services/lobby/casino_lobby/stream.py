"""The live face: a room, or the whole lobby, as server-sent events.

A stream begins with a snapshot, or goes on exactly after the event whose id the client had last.
Nothing a client does is waited for by anybody else.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog
from casino_agentkit import Refusal, Violation
from casino_contracts import MAX_SAFE
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from casino_lobby import frames
from casino_lobby.casino import Casino
from casino_lobby.commentary import Commentary
from casino_lobby.feed import Feed, Pages, reached
from casino_lobby.metrics import DropReason, LobbyMetrics, StreamFeed
from casino_lobby.operator import Operator, bearer_token
from casino_lobby.problems import Problem, ProblemType
from casino_lobby.reader import Reader, TooFarBehind
from casino_lobby.rooms import Room
from casino_lobby.store import Store

_RETRY_AFTER_S = 5

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class StreamLimits:
    """What streams may cost.

    `clients` is the most at a time; `heartbeat` how often a quiet one shows that it lives;
    `send_timeout` how long a client may take nothing before it is dropped.
    """

    clients: int
    heartbeat: timedelta
    send_timeout: timedelta


class Streams:
    """Serves the streams."""

    def __init__(
        self,
        casino: Casino,
        store: Store,
        feed: Feed,
        limits: StreamLimits,
        *,
        operator: Operator,
        metrics: LobbyMetrics,
    ) -> None:
        self._casino = casino
        self._store = store
        self._feed = feed
        self._limits = limits
        self._operator = operator
        self._metrics = metrics
        self._count = 0
        self._is_closed = False

    def close(self) -> None:
        """End every stream after what is under way to it, and take no new ones."""
        self._is_closed = True
        self._feed.close()

    async def room(self, request: Request) -> Response:
        """Stream a room.

        Raises Problem, and Refusal: ROOM_NOT_FOUND, OPERATOR_ONLY, UNAUTHORIZED, DRAINING.
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

        Raises Problem, and Refusal: DRAINING.
        """
        return self._response(request, None, "public")

    def _response(self, request: Request, room: Room | None, feed: StreamFeed) -> Response:
        after = _after(request)
        if self._is_closed:
            raise Refusal("DRAINING", "The casino is closing; try again later.")
        if self._count >= self._limits.clients:
            raise Problem(
                ProblemType.TOO_MANY_STREAMS,
                f"{self._count} streams are open, which is the most here; try again later.",
                headers={"Retry-After": str(_RETRY_AFTER_S)},
            )
        late = feed == "commentator"
        reader = Reader(self._store, self._feed, room, after, late=late)
        pages = reader.pages()
        if late and room is not None:
            pages = Commentary(room, self._casino.records).late(pages)
        where = room.room_id if room else "all"
        content = self._bytes(pages, reader.cursor, where)
        return _Stream(self, content, feed, where, self._limits)

    async def _bytes(self, pages: Pages, sent: int, where: str) -> AsyncIterator[bytes]:
        try:
            async with aclosing(pages):  # whoever goes away leaves no queue behind
                async for page in pages:
                    yield b"".join(item.data for item in page)
                    sent = reached(page, sent)
        except TooFarBehind:
            self.dropped("lagged", where)
            yield frames.lagged(sent).data

    @contextmanager
    def counted(self, feed: StreamFeed) -> Iterator[None]:
        """Count a stream while it is open."""
        self._count += 1
        try:
            with self._metrics.stream_clients[feed].track_inprogress():
                yield
        finally:
            self._count -= 1

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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until it is over."""
        with self._streams.counted(self._feed):
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
