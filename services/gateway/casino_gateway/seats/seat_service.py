"""Use cases of seats: take one, find it by its token, leave it; rooms and games of the lobby."""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal, NamedTuple

import structlog
from casino_agentkit.bounded_state import LruDict
from casino_agentkit.network import network_of
from casino_contracts import HandDetail, ListedGame, RoomSnapshot, RoomSummary, Standings
from casino_contracts.events.table_view import TableSeat
from casino_gamespec import GameNotOffered, GameSpecError, Specifications
from casino_lobby_client.errors import CallFailed, LobbyAway
from casino_seats.seat_agent import digest_of
from casino_seats.turns import AWAY

from casino_gateway.domain.match import Match
from casino_gateway.domain.updates import PlayerKind, SeatEnd, is_of_model
from casino_gateway.errors import ListenerLagged
from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.registration import Registration
from casino_gateway.seats.room_feed import RoomFeed
from casino_gateway.seats.rooms import Rooms
from casino_gateway.seats.seat_index import SeatIndex, SeatPlace
from casino_gateway.seats.seat_parts import SeatParts
from casino_gateway.store.seat_rows import Answers, RoomRows, SeatRows, StoredRoom, StoredSeat

Json = dict[str, Any]

_TOKEN_BYTES = 32
_ID_BYTES = 16
_CLOSED_KEPT = timedelta(hours=1)
_LEAVING_S = 2.0
_OWNERS = 10_000
_QUIET = {"waiting", "between_hands", "over"}
"""Phases in which a seat is given back at once."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WantedSeat:
    """Who wants to sit where."""

    room_id: str
    display_name: str
    kind: PlayerKind
    buy_in: float | None = None
    preferred_seat: int | None = None
    owner: str | None = None
    """The login that takes it (A2G); None: the seat itself."""
    address: str = ""
    """Of the client, by which seats are counted; "" is not counted."""


@dataclass(frozen=True, slots=True)
class TakenSeat:
    """A new seat, and its token, which is returned once and stored hashed."""

    seat: LiveSeat
    token: str = field(repr=False)


class SeatClocks(NamedTuple):
    """The time for a decision that a seat asks for; None: the room's."""

    human: timedelta | None
    model: timedelta | None


class SeatService:
    """Seats of this gateway. They last over a restart of the gateway."""

    def __init__(
        self,
        *,
        registration: Registration,
        rooms: Rooms,
        room_rows: RoomRows,
        answers: Answers,
        index: SeatIndex,
        specifications: Specifications,
        parts: SeatParts,
        clocks: SeatClocks,
    ) -> None:
        self._registration = registration
        self._lobby = registration.lobby
        self._rows: SeatRows = registration.rows
        self._rooms = rooms
        self._room_rows = room_rows
        self._answers = answers
        self._index = index
        self._specifications = specifications
        self._parts = replace(
            parts, on_close=self._closed, on_absent=self._absent, default_of=self._default_of
        )
        self._clocks = clocks
        self._joining = LruDict[str, asyncio.Lock](_OWNERS)
        self._tasks = registration.tasks

    async def start(self) -> None:
        stored_rooms = await self._room_rows.all()
        for stored in await self._rows.all():
            if stored.player_id is None:
                self._registration.abandon(stored)
            else:
                await self._restore(stored, stored_rooms.get(stored.room_id))
        self.forget_old()

    def waits(self) -> list[Json]:
        """Return what seats wait for beside their table: the lobby, or nothing."""
        return self._lobby.waits()

    async def close(self) -> None:
        """Stop following rooms; seats stay taken."""
        await self._tasks.end()
        await self._rooms.close()

    def forget_old(self) -> None:
        """Forget seats that were given back an hour ago; called now and then."""
        before = self._parts.wall() - _CLOSED_KEPT
        self._forget(self._index.forget_before(before))
        self._room_rows.forget_unused()

    async def take(self, order: WantedSeat) -> TakenSeat:
        """Seat a player in a room. Raises CallRefused, UnknownRoom, LobbyAway, StoreFailed."""
        address = network_of(order.address) if order.address else ""
        self._index.refuse_beyond(address)
        seat_id, token = secrets.token_urlsafe(_ID_BYTES), secrets.token_urlsafe(_TOKEN_BYTES)
        place = self._place(
            StoredSeat(
                seat_id=seat_id,
                room_id=order.room_id,
                display_name=order.display_name,
                kind=order.kind,
                owner=order.owner or seat_id,
                address=address,
                token_digest=digest_of(token),
                taken_at=self._parts.wall().replace(tzinfo=None),
                buy_in=order.buy_in,
                preferred_seat=order.preferred_seat,
            )
        )
        self._index.reserve(place)
        try:
            feed = await self._rooms.hold(order.room_id)
            try:
                seat = await self._seat(place, feed)
            finally:
                self._rooms.release(order.room_id)
        except BaseException:
            self._index.free(place)
            raise
        return TakenSeat(seat, token)

    async def leave(self, seat: LiveSeat, reason: Literal["left", "away"] = "left") -> None:
        """Give a seat back: at once between hands, else after the hand. Raises as `take`.

        `away`: nobody was there to keep it.
        """
        if seat.closed is not None:
            return
        identity, seat.leaves_as = seat.identity, reason
        if not await self._registration.leave(identity.room_id, identity.player_id):
            seat.close(reason)
            return
        if seat.match.phase in _QUIET:
            # The table's own event closes it; it is on its way.
            with suppress(TimeoutError, ListenerLagged), seat.listen() as updates:
                async with asyncio.timeout(_LEAVING_S):
                    async for _ in updates:
                        pass

    def by_token(self, token: str) -> LiveSeat | None:
        return self._index.by_token(token)

    def of_owner(self, owner: str) -> list[LiveSeat]:
        return self._index.of_owner(owner)

    def held(self, owner: str, room_id: str) -> LiveSeat | None:
        """Return the seat that an owner has in a room."""
        owned = self.of_owner(owner)
        return next((seat for seat in owned if seat.identity.room_id == room_id), None)

    def joining(self, owner: str) -> asyncio.Lock:
        """Return the lock under which an owner takes seats, so that it gets one in each room."""
        lock = self._joining.get(owner)
        if lock is None:
            lock = asyncio.Lock()
            self._joining.put(owner, lock)
        return lock

    def in_room(self, room_id: str, player_id: str) -> LiveSeat | None:
        return self._index.in_room(room_id, player_id)

    async def match(self, room_id: str) -> Match:
        feed = self._rooms.find(room_id)
        return feed.match if feed is not None else Match.of(await self._lobby.room(room_id))

    async def rooms(self) -> list[RoomSummary]:
        """Return the lobby's open rooms. Raises LobbyAway."""
        return await self._lobby.open_rooms()

    async def room(self, room_id: str) -> RoomSnapshot:
        return await self._lobby.room(room_id)

    async def create_room(self, order: Json) -> RoomSnapshot:
        return await self._lobby.create_room(order)

    async def standings(self, room_id: str) -> Standings:
        await self.room(room_id)  # of an open room
        return await self._lobby.standings(room_id)

    async def hand(self, room_id: str, number: int) -> HandDetail:
        """Return the public events of a completed hand."""
        await self.room(room_id)
        return await self._lobby.hand(room_id, number)

    async def games(self) -> list[ListedGame]:
        return list((await self._lobby.games()).games)

    async def specification(self, game_type: str) -> tuple[str, str] | None:
        """Return a game's Markdown and version, None if it is not offered. Raises LobbyAway."""
        try:
            spec = await self._specifications.current(game_type)
        except GameNotOffered:
            return None
        except GameSpecError as error:
            raise LobbyAway(str(error)) from error
        return spec.text, str(spec.version)

    # Within.

    def _place(self, stored: StoredSeat) -> SeatPlace:
        clock = self._clocks.human if stored.kind == "human" else None
        return SeatPlace(stored, self._clocks.model if is_of_model(stored.owner) else clock)

    async def _seat(self, place: SeatPlace, feed: RoomFeed) -> LiveSeat:
        registered = await self._registration.register(place)
        place.stored = replace(place.stored, game_type=feed.match.game_type)
        try:
            await self._rows.registered(place.stored)
        except BaseException:
            self._registration.abandon(place.stored)
            raise
        feed.match.seats.setdefault(
            registered.player_id,
            TableSeat(
                registered.player_id,
                registered.display_name,
                registered.seat_number,
                registered.stack,
                place.stored.kind,
            ),
        )
        self._tasks.begin(self._read_specification(feed.match.game_type))
        return self._sit(place, feed)

    def _sit(self, place: SeatPlace, feed: RoomFeed) -> LiveSeat:
        seat = LiveSeat(place.stored.identity, feed, self._parts)
        self._index.add(place, seat)
        place.seat = seat
        place.is_seated.set()
        self._parts.metrics.seats.set(len(self._index))
        return seat

    async def _restore(self, stored: StoredSeat, room: StoredRoom | None) -> None:
        place = self._place(stored)
        self._index.reserve(place)
        match = Match(stored.room_id, stored.identity.game_type)
        room = room or StoredRoom(match, None)
        if stored.closed_reason is not None and stored.closed_at is not None:
            seat = self._sit(place, RoomFeed(room.match, self._lobby.events_until))
            seat.end(SeatEnd.stored(stored.closed_reason, stored.closed_at))
            self._forget(self._index.retire(place))
            return
        feed = self._rooms.find(stored.room_id) or self._rooms.restore(stored.room_id, room)
        seat = self._sit(place, feed)
        seat.restore(*await self._answers.of(stored.seat_id))
        self._registration.serve(place)
        self._tasks.begin(self._read_specification(stored.identity.game_type))

    def _absent(self, seat: LiveSeat) -> None:
        self._tasks.begin(self._give_back(seat))

    async def _give_back(self, seat: LiveSeat) -> None:
        try:
            await self.leave(seat, "away")
        except CallFailed as error:  # later hands try again
            logger.warning("seat_not_given_back", room=seat.identity.room_id, error=str(error))

    def _closed(self, seat: LiveSeat) -> None:
        place = self._index.place(seat.identity.seat_id)
        if place is None or seat.closed is None:
            return
        if seat.closed.reason == AWAY:
            self._parts.metrics.seats_given_back.inc()
            logger.info(
                "seat_given_back",
                room=seat.identity.room_id,
                player=seat.identity.player_id,
                reason=AWAY,
            )
        self._registration.stop_serving(seat.identity.seat_id)
        self._forget(self._index.retire(place))
        self._parts.metrics.seats.set(len(self._index))
        self._tasks.begin(self._store_end(seat.identity.seat_id, seat.closed))
        self._rooms.vacate(seat.identity.room_id)

    async def _store_end(self, seat_id: str, end: SeatEnd) -> None:
        try:
            await self._rows.closed(seat_id, end)
        except CallFailed as error:
            logger.warning("seat_end_not_stored", seat=seat_id, error=str(error))

    def _forget(self, seat_ids: list[str]) -> None:
        for seat_id in seat_ids:
            self._tasks.begin(self._rows.forget(seat_id))

    def _default_of(self, game_type: str, version: str) -> str | None:
        try:
            spec = self._specifications.held(game_type, version)
        except GameSpecError:
            return None
        return spec.about.default_timeout_action if spec else None

    async def _read_specification(self, game_type: str) -> None:
        with suppress(GameSpecError):
            await self._specifications.current(game_type)
