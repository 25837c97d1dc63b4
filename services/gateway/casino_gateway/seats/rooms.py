"""The rooms that seats are in: each is followed once, however many seats it has."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field

import structlog
from casino_agentkit.process.background_tasks import BackgroundTasks, Backoff
from casino_contracts import RoomSnapshot, RoomStreamSnapshot, StreamedEvent, StreamedRoom
from casino_lobby_client.errors import CallFailed, LobbyAway, UnknownRoom
from casino_lobby_client.lobby_client import LobbyClient
from casino_lobby_client.lobby_stream import Interruption, StreamItem, follow
from casino_seats.clock import Clock

from casino_gateway.metrics import GatewayMetrics
from casino_gateway.seats.room_feed import RoomFeed
from casino_gateway.store.seat_rows import RoomRows, StoredRoom

_SAVED_EVERY_S = 0.5
_BACKOFF = Backoff(first_s=0.1, slowest_s=5.0)
_FIRST_S = 5.0
"""How long the first snapshot of a room may take."""

logger = structlog.get_logger(__name__)


@dataclass
class _Followed:
    """A room, once its first snapshot came, and the task that follows it."""

    room_id: str
    cursor: int | None = None
    """How far it was followed; None before the first snapshot."""
    feed: RoomFeed | None = None
    is_known: asyncio.Event = field(default_factory=asyncio.Event)
    saved_at: float = 0.0
    broken: str = ""
    """Why the stream broke last."""
    users: int = 0
    """Seats that are just being taken."""
    task: asyncio.Task[None] | None = None


class Rooms:
    """Follows each room while it has seats."""

    def __init__(
        self, lobby: LobbyClient, rows: RoomRows, clock: Clock, metrics: GatewayMetrics
    ) -> None:
        self._lobby = lobby
        self._rows = rows
        self._clock = clock
        self._metrics = metrics
        self._followed: dict[str, _Followed] = {}
        self._tasks = BackgroundTasks()

    def __len__(self) -> int:
        return len(self._followed)

    def find(self, room_id: str) -> RoomFeed | None:
        followed = self._followed.get(room_id)
        return followed.feed if followed else None

    def restore(self, room_id: str, stored: StoredRoom) -> RoomFeed:
        """Follow a room from where it was stored; its match is known at once."""
        feed = RoomFeed(stored.match, self._lobby.events_until)
        self._follow(_Followed(room_id, stored.cursor, feed))
        return feed

    async def hold(self, room_id: str) -> RoomFeed:
        """Follow a room, until `release`; raises UnknownRoom, LobbyAway."""
        followed = self._followed.get(room_id)
        if followed is None:
            followed = _Followed(room_id)
            self._follow(followed)
        followed.users += 1
        try:
            async with asyncio.timeout(_FIRST_S):
                await followed.is_known.wait()
        except TimeoutError as error:
            self._unhold(room_id, followed)
            reason = f": {followed.broken}" if followed.broken else ""
            raise LobbyAway(f"the lobby sent no snapshot of the room{reason}") from error
        except BaseException:
            self._unhold(room_id, followed)
            raise
        if followed.feed is None:
            self._unhold(room_id, followed)
            raise UnknownRoom(f"The lobby has no open room {room_id}.")
        return followed.feed

    def release(self, room_id: str) -> None:
        """Undo one `hold`: without seats, the room is followed no longer."""
        followed = self._followed.get(room_id)
        if followed is not None:
            self._unhold(room_id, followed)

    def vacate(self, room_id: str) -> None:
        followed = self._followed.get(room_id)
        if followed is None or followed.users or (followed.feed and followed.feed.members):
            return
        self._drop(followed)
        if followed.task is not None and followed.task is not asyncio.current_task():
            followed.task.cancel()

    async def close(self) -> None:
        """Stop following, and store how far each room was followed."""
        await self._tasks.end()
        for followed in self._followed.values():
            self._save(followed, is_last=True)
        self._followed.clear()

    def _unhold(self, room_id: str, followed: _Followed) -> None:
        followed.users -= 1
        self.vacate(room_id)

    def _follow(self, followed: _Followed) -> None:
        self._followed[followed.room_id] = followed
        if followed.feed is not None:
            followed.is_known.set()
        self._metrics.rooms.set(len(self._followed))
        followed.task = self._tasks.begin(self._run(followed))

    async def _run(self, followed: _Followed) -> None:
        cursor = "" if followed.cursor is None else str(followed.cursor)
        stream = follow(
            self._lobby, followed.room_id, last_id=cursor, backoff=_BACKOFF, is_patient=True
        )
        try:
            async with aclosing(stream) as items:
                async for item in items:
                    await self._take(followed, item)
                    if self._followed.get(followed.room_id) is not followed:
                        return  # it is over, or its last seat was given back
                    self._save(followed)
        except UnknownRoom:
            self._end(followed, is_known=False)
        finally:
            followed.is_known.set()

    async def _take(self, followed: _Followed, item: StreamItem | Interruption) -> None:
        if isinstance(item, Interruption):
            followed.broken = item.why
            self._metrics.stream_breaks.inc()
            logger.info("room_stream_broke", room=followed.room_id, reason=item.why)
            return
        match item.message:
            case RoomStreamSnapshot(room=room, cursor=cursor):
                followed.cursor = cursor
                await self._take_state(followed, room)
            case StreamedEvent(event=event, cursor=cursor):
                followed.cursor = cursor
                if followed.feed is not None:
                    followed.feed.take(event)
            case StreamedRoom():
                self._end(followed, is_known=True)

    async def _take_state(self, followed: _Followed, room: RoomSnapshot) -> None:
        feed = followed.feed
        if room.seats == "invited":
            self._end(followed, is_known=False)
            return
        if feed is None:
            followed.feed = RoomFeed.of(room, self._lobby.events_until)
            followed.is_known.set()
            return
        missing = feed.first_missing(room)
        if missing is not None:
            try:
                for event in await feed.between(feed.match.sequence, missing):
                    feed.take(event)
            except CallFailed as error:
                logger.warning("room_events_missing", room=room.room_id, error=str(error))
        feed.catch_up(room)
        await self._end_missing(feed)

    async def _end_missing(self, feed: RoomFeed) -> None:
        if feed.members.keys() <= feed.match.seats.keys():
            return
        try:
            # The snapshot may be older than a seat that was just taken.
            room = await self._lobby.room(feed.match.room_id)
        except CallFailed:
            return
        seated = {seat.player_id for seat in room.summary.players} if room.summary else set()
        for player_id in [name for name in feed.members if name not in seated]:
            feed.members[player_id].gone("left")

    def _end(self, followed: _Followed, *, is_known: bool) -> None:
        feed = followed.feed
        if feed is not None:
            feed.close("room_closed" if is_known else "room_lost")
        followed.is_known.set()
        self._drop(followed)

    def _drop(self, followed: _Followed) -> None:
        room_id = followed.room_id
        if self._followed.get(room_id) is followed:
            del self._followed[room_id]
            self._metrics.rooms.set(len(self._followed))
            self._save(followed, is_last=True)
        if followed.feed is not None:
            followed.feed.forget_events()

    def _save(self, followed: _Followed, *, is_last: bool = False) -> None:
        now, feed, cursor = self._clock.now(), followed.feed, followed.cursor
        if feed is None or cursor is None:
            return
        if is_last or now - followed.saved_at >= _SAVED_EVERY_S:
            followed.saved_at = now
            self._rows.save(feed.match, cursor)
