"""The rooms that seats are in: each is followed once, however many seats it has."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field

import structlog
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import RoomSnapshot
from casino_seats.clock import Clock
from casino_seats.errors import LobbyUnavailable, SeatError, UnknownRoom
from casino_seats.lobby_client import LobbyClient

from casino_gateway.lobby.room_stream import RoomHappened, RoomOver, RoomState, RoomStream
from casino_gateway.metrics import GatewayMetrics
from casino_gateway.seats.room_feed import RoomFeed
from casino_gateway.store.rooms import RoomRows, StoredRoom

_SAVED_EVERY_S = 0.5
_FIRST_S = 5.0
"""How long the first snapshot of a room may take."""

logger = structlog.get_logger(__name__)


@dataclass
class _Followed:
    """A room, once its first snapshot came, and the task that follows it."""

    stream: RoomStream
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
        """Return a room that is followed."""
        followed = self._followed.get(room_id)
        return followed.feed if followed else None

    def restore(self, room_id: str, stored: StoredRoom) -> RoomFeed:
        """Follow a room from where it was stored; its match is known at once."""
        feed = RoomFeed(stored.match, self._lobby.events)
        self._follow(_Followed(RoomStream(self._lobby, room_id, stored.cursor), feed))
        return feed

    async def hold(self, room_id: str) -> RoomFeed:
        """Follow a room, until `release`; raises UnknownRoom, LobbyUnavailable."""
        followed = self._followed.get(room_id)
        if followed is None:
            followed = _Followed(RoomStream(self._lobby, room_id))
            self._follow(followed)
        followed.users += 1
        try:
            async with asyncio.timeout(_FIRST_S):
                await followed.is_known.wait()
        except TimeoutError as error:
            self._unhold(room_id, followed)
            reason = f": {followed.broken}" if followed.broken else ""
            raise LobbyUnavailable(f"the lobby sent no snapshot of the room{reason}") from error
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
        """Stop following a room whose last seat is given back."""
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
        room_id = followed.stream.room_id
        self._followed[room_id] = followed

        def on_break(reason: str) -> None:
            followed.broken = reason
            self._metrics.stream_breaks.inc()
            logger.info("room_stream_broke", room=room_id, reason=reason)

        followed.stream.on_break = on_break
        if followed.feed is not None:
            followed.is_known.set()
        self._metrics.rooms.set(len(self._followed))
        followed.task = self._tasks.begin(self._run(followed))

    async def _run(self, followed: _Followed) -> None:
        stream = followed.stream
        try:
            async with aclosing(stream.items()) as items:
                async for item in items:
                    match item:
                        case RoomState(room=room):
                            await self._take_state(followed, room)
                        case RoomHappened(event=event):
                            if followed.feed is not None:
                                followed.feed.take(event)
                        case RoomOver():
                            self._end(followed, is_known=item.is_known)
                            return
                    if self._followed.get(stream.room_id) is not followed:
                        return  # its last seat was given back
                    self._save(followed)
        finally:
            followed.is_known.set()

    async def _take_state(self, followed: _Followed, room: RoomSnapshot) -> None:
        feed = followed.feed
        if room.seats == "invited":
            self._end(followed, is_known=False)
            return
        if feed is None:
            followed.feed = RoomFeed.of(room, self._lobby.events)
            followed.is_known.set()
            return
        missing = feed.first_missing(room)
        if missing is not None:
            try:
                for event in await feed.between(feed.match.sequence, missing):
                    feed.take(event)
            except SeatError as error:
                logger.warning("room_events_missing", room=room.room_id, error=str(error))
        feed.catch_up(room)
        await self._end_missing(feed)

    async def _end_missing(self, feed: RoomFeed) -> None:
        """End seats that were given back while the room was not followed."""
        if feed.members.keys() <= feed.match.players.keys():
            return
        try:
            # The snapshot may be older than a seat that was just taken.
            room = await self._lobby.room(feed.match.room_id)
        except SeatError:
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
        room_id = followed.stream.room_id
        if self._followed.get(room_id) is followed:
            del self._followed[room_id]
            self._metrics.rooms.set(len(self._followed))
            self._save(followed, is_last=True)
        if followed.feed is not None:
            followed.feed.forget_events()

    def _save(self, followed: _Followed, *, is_last: bool = False) -> None:
        now, feed, cursor = self._clock.now(), followed.feed, followed.stream.cursor
        if feed is None or cursor is None:
            return
        if is_last or now - followed.saved_at >= _SAVED_EVERY_S:
            followed.saved_at = now
            self._rows.save(feed.match, cursor)
