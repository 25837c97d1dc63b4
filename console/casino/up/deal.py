"""`casino deal`: keeps a room playing at a lobby that runs already, as an operator's script would.

Everything it does can be done again: it finds its room after a restart of its own, opens it anew
when the lobby has lost it, and seats the players of its settings when these have changed.
"""

import asyncio
import hashlib
from datetime import timedelta
from itertools import count
from typing import Annotated, ClassVar

import structlog
from casino_agentkit import Duration, Service, ServiceSettings
from casino_agentkit.process.key import key_of
from casino_contracts import (
    CreateRoomInput,
    PlayerSeat,
    RegisterPlayerInput,
    RoomSnapshot,
    TableConfig,
)
from casino_contracts.base import Identifier, Url
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator

from casino.lobby_api import LobbyApi, LobbyError
from casino.operator_key import OperatorKey
from casino.rules import house_rules

_SEATS = range(2, 11)
_OVER = {"closing", "closed", "failed"}

logger = structlog.get_logger(__name__)


def _listed(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


Urls = Annotated[tuple[Url, ...], BeforeValidator(_listed)]


class DealerSettings(ServiceSettings):
    """Read from `CASINO_DEALER_…`."""

    prefix: ClassVar[str] = "CASINO_DEALER_"

    port: int = Field(
        default=4200, ge=0, le=65_535, description="Where its health is asked; 0: any free port."
    )
    lobby_url: Url = Field(default="http://127.0.0.1:4000", description="The lobby's URL.")
    operator_token: Annotated[SecretStr, AfterValidator(key_of(8))] | None = Field(
        default=None, description="The lobby's operator key, where the lobby has one."
    )
    room: Identifier = Field(default="demo", description="The room's id.")
    players: Urls = Field(
        default=(), description="Card URLs of the players, with commas between them."
    )
    seat: Urls = Field(
        default=(),
        description="Card URLs of bots that sit in place of the last players, with commas.",
    )
    hands: int = Field(
        default=100_000, ge=1, description="Hands of a session; when it ends, the next one begins."
    )
    seed: str | None = Field(
        default=None, min_length=1, description="Makes the first session repeat exactly."
    )
    every: Duration = Field(
        default=timedelta(seconds=1), description="How often it looks after the room."
    )

    @model_validator(mode="after")
    def _can_be_seated(self) -> "DealerSettings":
        if len(self.cards) not in _SEATS:
            raise ValueError(
                f"{len(self.cards)} players, but a table seats 2 to 10:"
                f" name them in {self.prefix}PLAYERS"
            )
        for card in self.cards:
            if self.cards.count(card) > 1:
                raise ValueError(
                    f"{card} is named twice, but a player has one seat:"
                    f" look at {self.prefix}PLAYERS and {self.prefix}SEAT"
                )
        return self

    @property
    def key(self) -> OperatorKey:
        """The key by which it commands the lobby."""
        token = self.operator_token
        value = token.get_secret_value() if token else None
        return OperatorKey(f"{self.prefix}OPERATOR_TOKEN", value)

    @property
    def cards(self) -> tuple[str, ...]:
        """The card URLs of everybody who gets a seat, in the order of the seats."""
        return (*self.players[: max(0, len(self.players) - len(self.seat))], *self.seat)

    def config(self) -> TableConfig:
        """Return the room's rules."""
        return house_rules(hands=self.hands, seats=len(self.cards), seed=self.seed)


class Dealer:
    """Looks after one room, whose seats are for the players of its settings."""

    def __init__(self, settings: DealerSettings, api: LobbyApi) -> None:
        self._settings = settings
        self._api = api
        self._rooms_dealt = 1
        self._seated: dict[str, str] = {}
        """Player ids by card URL."""
        self.is_playing = False
        self._trouble: str | None = None

    @property
    def room_id(self) -> str:
        """The room it looks after; a room that is over is followed by one of the next number."""
        number = f"-{self._rooms_dealt}" if self._rooms_dealt > 1 else ""
        return f"{self._settings.room}{number}"

    async def run(self) -> None:
        """Keep the room playing, for ever."""
        while True:
            try:
                room = await self._look()
            except LobbyError as error:
                self._tell(str(error))
                self.is_playing = False
            else:
                self._trouble = None
                self.is_playing = _is_running(room)
            await asyncio.sleep(self._settings.every.total_seconds())

    async def _look(self) -> RoomSnapshot:
        """Do whatever is still to be done; raises LobbyError."""
        room = await self._room()
        await self._seat_everybody(room)
        return room if _is_running(room) else await self._start(room)

    async def _room(self) -> RoomSnapshot:
        while True:
            try:
                room = await self._api.room(self.room_id)
            except LobbyError as error:
                if error.reason != "ROOM_NOT_FOUND":
                    raise
                self._seated.clear()
                given = CreateRoomInput(room_id=self.room_id, config=self._settings.config())
                room = await self._api.create_room(given)
                logger.info("room_opened", room=room.room_id, table=room.table_agent_card_url)
            if room.state not in _OVER:
                return room
            self._tell(f"room {room.room_id} is {room.state}")
            self._rooms_dealt += 1
            self._seated.clear()

    async def _seat_everybody(self, room: RoomSnapshot) -> None:
        """Seat who is missing; where the room is full, somebody else has to leave first.

        Raises LobbyError while anybody is missing.
        """
        is_full = False
        for card in self._settings.cards:
            if card not in self._seated:
                try:
                    await self._seat(room.room_id, card)
                except LobbyError as error:
                    if error.reason != "ROOM_FULL":
                        raise
                    is_full = True
        if is_full:
            leaving = await self._free_a_seat(room.room_id)
            raise LobbyError(f"room {room.room_id} is full: {leaving} has to leave first")

    async def _seat(self, room_id: str, card: str) -> None:
        """Seat a player once, however often this is asked for.

        The command's id names everything in the command, so it never stands for another one; its
        number counts how often the player has come back. Others can guess an id and do no harm by
        it: a lobby with an operator key takes commands only from those who send that key.
        """
        digest = hashlib.blake2b(card.encode(), digest_size=16).hexdigest()
        for number in count(1):
            request_id = f"deal/{room_id}/{number}/{digest}"
            player = RegisterPlayerInput(
                room_id=room_id, agent_card_url=card, request_id=request_id
            )
            seat = await self._api.register(player)
            if seat.player_id in _players(await self._api.room(room_id)):
                self._seated[card] = seat.player_id
                logger.info("player_seated", room=room_id, player=seat.display_name, card=card)
                return

    async def _free_a_seat(self, room_id: str) -> str:
        """Make the last player leave whom the settings do not name; returns its name.

        It leaves after the running hand. Raises LobbyError, also when the settings name more
        players than the room has seats.
        """
        room = await self._api.room(room_id)
        mine = self._seated.values()
        others = [seat for player_id, seat in _players(room).items() if player_id not in mine]
        if not others:
            raise LobbyError(
                f"room {room_id} has {room.config.max_seats} seats, and"
                f" {len(self._settings.cards)} players are named: name fewer, or another room"
                f" in {self._settings.prefix}ROOM"
            )
        await self._api.leave(room_id, others[-1].player_id)
        return others[-1].display_name

    async def _start(self, room: RoomSnapshot) -> RoomSnapshot:
        """Begin the next session; the first one begins by itself when the room is full."""
        if room.summary is not None and room.summary.status == "idle":
            try:
                await self._api.start(room.room_id)
            except LobbyError as error:
                if error.reason != "ALREADY_RUNNING":
                    raise
        return await self._api.room(room.room_id)

    def _tell(self, trouble: str) -> None:
        """Log what is wrong, once for as long as it is the same."""
        if trouble != self._trouble:
            logger.warning("waiting", room=self.room_id, trouble=trouble)
        self._trouble = trouble


def _is_running(room: RoomSnapshot) -> bool:
    return room.summary is not None and room.summary.status == "running"


def _players(room: RoomSnapshot) -> dict[str, PlayerSeat]:
    """Return who sits there by player id, in the order of the seats."""
    return {seat.player_id: seat for seat in room.summary.players} if room.summary else {}


def build_app(settings: DealerSettings, api: LobbyApi | None = None) -> Service:
    """Return the service: no agent, only its health, which is that of the room."""
    api = api or LobbyApi(settings.lobby_url, key=settings.key, trusted=settings.client_tls())
    dealer = Dealer(settings, api)
    return Service(
        {},
        beside=dealer.run,
        stop=api.close,
        checks=lambda: {"the room plays": dealer.is_playing},
    )
