"""Rooms of levels: ordered, opened with two seats, given back in any case."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import structlog
from casino_agentkit import ANYONE, Agent, HostedAgents
from casino_agentkit.process.background_tasks import BackgroundTasks, Backoff
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import (
    Defaulted,
    GameActionRequest,
    GameActionResponse,
    HandNotice,
    HandNoticeOutput,
    PlayerType,
    RegisteredPlayer,
    RegisterPlayerInput,
)
from casino_contracts.player_messages import LONGEST_CLOCK_MS
from casino_games.hosting.game_properties import chips_needed, traits_of
from casino_games.shuffle import derive_seed
from casino_gamespec import default_action
from casino_lobby_client.errors import CallRefused, LobbyAway, UnknownRoom
from casino_lobby_client.lobby_client import OVER, LobbyClient
from casino_seats.seat_agent import Seated, SeatPlace, seat_agent

from casino_evaluator import __version__
from casino_evaluator.domain.levels import ExaminedGame

Json = dict[str, Any]
SEATS = "/seats"
"""The path below which the agents of seats are hosted."""
TWO = 2
"""Seats of a room, also where nobody sits opposite."""
_BACKOFF = Backoff(first_s=0.05, slowest_s=1.0)
_END_S = 3.0
_UNSURE = 8
"""How often a room is looked for whose opening was interrupted."""
_GONE = {404, 410}
_NEVER_SITS_OUT = 1_000_000
"""A seat that came back from sitting out would come at another time in every attempt."""

logger = structlog.get_logger(__name__)


@dataclass
class HostedSeat:
    """A seat of a level's room; its table is known once the lobby has registered it."""

    name: str
    """The last part of the agent's address; nobody can guess it."""
    room_id: str
    display_name: str
    number: int
    kind: PlayerType = "ai"
    buy_in: float | None = None
    table_id: str | None = None
    table_token_digest: bytes | None = field(default=None, repr=False)


Place = SeatPlace[HostedSeat, Seated]


@dataclass
class LevelRoom:
    """A room, and the places of its seats that the evaluator hosts."""

    room_id: str
    names: tuple[str, ...]
    """Of the seats' agents, by seat number."""
    waiting: str
    """The key of what waits for it: a session, or the room itself."""
    places: list[Place] = field(default_factory=list)
    is_sure: bool = False
    """Whether the lobby has it; else its opening is under way."""


@dataclass
class LevelRooms:
    """Opens rooms, hosts the agents of their seats, closes rooms."""

    lobby: LobbyClient
    hosted: HostedAgents
    url: str
    tasks: BackgroundTasks = field(default_factory=BackgroundTasks)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    instance: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    """Kept over restarts, so that rooms of before are found. It is secret: addresses follow."""
    _own: set[str] = field(default_factory=set)
    """Ids of the rooms of this process."""

    @property
    def prefix(self) -> str:
        """What the ids of this evaluator's rooms begin with."""
        return f"eval-{derive_seed(self.instance, 'rooms')[:8]}-"

    def new(self, waiting: str = "") -> LevelRoom:
        room = self._room(self.prefix + secrets.token_hex(8), waiting)
        self._own.add(room.room_id)
        return room

    def serve(self, room: LevelRoom, number: int, display_name: str) -> Place:
        record = HostedSeat(room.names[number], room.room_id, display_name, number)
        place: Place = SeatPlace(record, None)
        self.hosted.add(record.name, seat_agent(place, __version__))
        room.places.append(place)
        return place

    async def register(self, place: Place) -> RegisteredPlayer:
        record = place.stored
        place.is_registering = True
        try:
            registered = await self.lobby.register(
                RegisterPlayerInput(
                    room_id=record.room_id,
                    agent_card_url=f"{self.url}{SEATS}/{record.name}{CARD_PATH}",
                    preferred_seat=record.number,
                ),
                key=record.name,
            )
        finally:
            place.is_registering = False
        invited = place.invited(registered.player_id)
        if invited is not None:
            record.table_id, record.table_token_digest = invited
        return registered

    def give_back(self, room: LevelRoom, end_seats: Callable[[], None] | None) -> None:
        """Close a room beside all else; its running hand is played by default, by `end_seats`."""
        if end_seats is not None:
            end_seats()
        for place in room.places:
            if place.seat is None:  # given back while it was being seated; the table asks it
                place.seat = LeftSeat()
                place.is_seated.set()
        self.tasks.begin(self._give_back(room))

    async def adopt_left(self, instance: str) -> None:
        """Close the rooms that this evaluator left open when it ended.

        Their seats answer by default until the running hand is over. While the lobby is away, it is
        asked beside all else.
        """
        self.instance = instance
        try:
            await self._adopt()
        except LobbyAway as error:
            logger.warning("left_rooms_unknown", error=str(error))
            self.tasks.begin(self._adopt_later())

    async def _adopt_later(self) -> None:
        for tries in count(1):
            await self.sleep(_BACKOFF.pause_s(tries))
            with suppress(LobbyAway):
                await self._adopt()
                return

    async def _adopt(self) -> None:
        left = [
            self._room(listed.room_id)
            for listed in await self.lobby.open_rooms()
            if listed.room_id.startswith(self.prefix) and listed.room_id not in self._own
        ]
        for room in left:
            room.is_sure = True
            for name in room.names:
                self.hosted.add(name, left_seat())
            self.tasks.begin(self._give_back(room))
        if left:
            logger.info("left_rooms_closing", rooms=len(left))

    async def end(self) -> None:
        """Wait a little until the rooms that were given back are closed."""
        try:
            async with asyncio.timeout(_END_S):
                await self.tasks.wait()
        except TimeoutError:
            logger.warning("rooms_not_closed", rooms=len(self.tasks))
        await self.tasks.end()

    def _room(self, room_id: str, waiting: str = "") -> LevelRoom:
        names = (derive_seed(self.instance, room_id, number)[:32] for number in range(TWO))
        return LevelRoom(room_id, tuple(names), waiting or room_id)

    async def _give_back(self, room: LevelRoom) -> None:
        try:
            await self._close(room)
        finally:
            self._own.discard(room.room_id)
            for name in room.names:
                with suppress(KeyError):
                    self.hosted.remove(name)

    async def _close(self, room: LevelRoom) -> None:
        """Ask the lobby to close a room until it is closed: meanwhile its seats answer.

        A lobby that is away is asked until it comes back, or this process ends.
        """
        for tries in count(1):
            try:
                closing = await self.lobby.close_room(room.room_id)
                if closing.state in OVER:
                    return
                room.is_sure = True
            except UnknownRoom:
                if room.is_sure or tries > _UNSURE:
                    return
            except CallRefused as refusal:
                if refusal.status in _GONE:
                    return
            except LobbyAway as error:
                logger.warning("room_not_closed", room=room.room_id, error=str(error))
            await self.sleep(_BACKOFF.pause_s(tries))


def closing_default(request: GameActionRequest) -> GameActionResponse:
    """Return the answer of a seat whose attempt is over."""
    return GameActionResponse(
        action=default_action(request.available_actions), defaulted=Defaulted(reason="closing")
    )


class LeftSeat:
    """A seat whose attempt is over before it was taken: it decides by default, at once."""

    closed = None
    is_asleep = False

    async def ask(self, request: GameActionRequest) -> GameActionResponse:
        return closing_default(request)

    def notify(self, notice: HandNotice) -> None: ...


def left_seat() -> Agent:
    """Return the agent of a seat whose attempt is over: it decides by default."""
    agent = Agent(
        "Left seat",
        "A seat whose attempt is over; its room is being closed.",
        version=__version__,
        tags=("casino", "player"),
        infers_skill=True,
    )

    agent.entrypoint("act", who=ANYONE)(LeftSeat().ask)

    @agent.entrypoint("notify", who=ANYONE)
    async def notify(_notice: HandNotice) -> HandNoticeOutput:
        """Take a notice."""
        return HandNoticeOutput()

    return agent


def has_opponent(game: ExaminedGame) -> bool:
    return traits_of(game.game_type).min_players > 1


def least_stack(game: ExaminedGame) -> int:
    return chips_needed(game.game_type, {})


def room_order(
    game: ExaminedGame, level: int, seed: str, room_id: str, *, action_timeout_ms: int
) -> Json:
    """Return `createRoom`'s order. Half of the hands are decks, played from both positions."""
    hands = game.levels[level - 1].hands
    pairs = hands // 2
    config = {
        "startingStack": game.starting_stack,
        "smallBlind": game.small_blind,
        "bigBlind": game.big_blind,
        "minBuyIn": game.starting_stack,
        "maxBuyIn": game.starting_stack,
        "maxHands": hands,
        "maxSeats": TWO,
        "actionTimeoutMs": action_timeout_ms,
        "maxActionTimeoutMs": LONGEST_CLOCK_MS,
        "maxTimeouts": _NEVER_SITS_OUT,
        "rebuy": "none",
        "seed": seed,
    }
    if has_opponent(game) and hands == 2 * pairs and pairs % 2:
        config["decks"] = pairs
    return {"roomId": room_id, "gameType": game.game_type, "config": config, "seats": "invited"}
