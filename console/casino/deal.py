"""`casino deal`: keeps a room playing at a lobby that runs already, as an operator's script would.

Everything it does can be done again: it finds its room after a restart of its own, and opens it
anew when the lobby has lost it.
"""

import asyncio
from datetime import timedelta
from typing import Annotated, ClassVar

import structlog
from casino_agentkit import Duration, Service, ServiceSettings
from casino_agentkit.key import key_of
from casino_contracts import CreateRoomInput, RegisterPlayerInput, RoomSnapshot, TableConfig
from casino_contracts.base import Identifier, Url
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator

from casino.lobby_api import LobbyApi, LobbyError
from casino.operator_key import OperatorKey
from casino.rules import house_rules

_SEATS = range(2, 11)
_OVER = {"closing", "closed", "failed"}
_SEATED_ALREADY = {"ROOM_FULL"}

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
        return self

    @property
    def key(self) -> OperatorKey:
        """The key by which it commands the lobby."""
        token = self.operator_token
        value = token.get_secret_value() if token else None
        return OperatorKey(f"{self.prefix}OPERATOR_TOKEN", value)

    @property
    def cards(self) -> tuple[str, ...]:
        """The card URLs of everybody who gets a seat, strangers first."""
        return (*self.seat, *self.players[: max(0, len(self.players) - len(self.seat))])

    def config(self) -> TableConfig:
        """Return the room's rules."""
        return house_rules(hands=self.hands, seats=len(self.cards), seed=self.seed)


class Dealer:
    """Looks after one room."""

    def __init__(self, settings: DealerSettings, api: LobbyApi) -> None:
        self._settings = settings
        self._api = api
        self._rooms_dealt = 1
        self._seated: set[str] = set()
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
                self.is_playing = _is_running(room) and len(self._seated) == len(
                    self._settings.cards
                )
            await asyncio.sleep(self._settings.every.total_seconds())

    async def _look(self) -> RoomSnapshot:
        """Do whatever is still to be done; raises LobbyError."""
        room = await self._room()
        absent: LobbyError | None = None
        for number, card in enumerate(self._settings.cards):
            if card not in self._seated:
                try:
                    await self._seat(room, number, card)
                except LobbyError as error:  # the others need not wait for him to sit down
                    absent = error
        if absent:
            raise absent
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

    async def _seat(self, room: RoomSnapshot, number: int, card: str) -> None:
        player = RegisterPlayerInput(
            room_id=room.room_id,
            agent_card_url=card,
            preferred_seat=number,
            request_id=f"deal:{room.room_id}:{card}",  # so that nobody sits twice
        )
        try:
            seat = await self._api.register(player)
        except LobbyError as error:
            if error.reason not in _SEATED_ALREADY:
                raise
            logger.info("room_full", room=room.room_id, card=card)
        else:
            logger.info("player_seated", room=room.room_id, player=seat.display_name, card=card)
        self._seated.add(card)

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


def build_app(settings: DealerSettings, api: LobbyApi | None = None) -> Service:
    """Return the service: no agent, only its health, which is that of the room."""
    api = api or LobbyApi(settings.lobby_url, key=settings.key)
    dealer = Dealer(settings, api)
    return Service(
        {},
        beside=dealer.run,
        stop=api.close,
        checks=lambda: {"the room plays": dealer.is_playing},
    )
