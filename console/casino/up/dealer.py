"""Keep a room playing at a running lobby.

Every step is idempotent: after a restart it finds its room again, it reopens a room that the lobby
has lost, and it reconciles the seats with the players of its settings.
"""

import asyncio
import hashlib
from datetime import timedelta
from itertools import count
from typing import Annotated, ClassVar

import structlog
from casino_agentkit import Duration, Key, Service, ServiceSettings
from casino_agentkit.process.secret_keys import service_key
from casino_agentkit.protocol import keyed_address
from casino_agentkit.settings import OperatorToken, listed
from casino_contracts import (
    CreateRoomInput,
    PlayerSeat,
    Reason,
    RegisterPlayerInput,
    RoomSnapshot,
    TableConfig,
)
from casino_contracts.base import Identifier, Url
from casino_lobby_client.errors import CallFailed
from pydantic import BeforeValidator, Field, model_validator

from casino.lobby_api import ENDING, LobbyApi
from casino.operator_key import OperatorKey
from casino.up.casino_plan import LONGEST_CLOCK_MS, SEATS, room_config

logger = structlog.get_logger(__name__)


Urls = Annotated[tuple[Url, ...], BeforeValidator(listed)]


class DealerSettings(ServiceSettings):
    """Settings of `casino deal`, read from `CASINO_DEALER_…`."""

    prefix: ClassVar[str] = "CASINO_DEALER_"

    port: int = Field(
        default=4200, ge=0, le=65_535, description="Where its health is asked; 0: any free port."
    )
    lobby_url: Url = Field(default="http://127.0.0.1:4000", description="The lobby's URL.")
    operator_token: OperatorToken | None = Field(
        default=None,
        description="The dealer's key at the lobby, where the lobby has an operator's key:"
        " `casino key --for dealer` prints it. Of the operator's key, only that key is used.",
    )
    room: Identifier = Field(default="demo", description="The room's id.")
    players: Urls = Field(
        default=(), description="Card URLs of the players, with commas between them."
    )
    player_key: Key | None = Field(
        default=None,
        description="The key of those players, where they have one: they are registered by"
        " addresses that carry it.",
    )
    seat: Urls = Field(
        default=(),
        description="Card URLs of bots that sit in place of the last players, with commas.",
    )
    free_seats: int = Field(
        default=0,
        ge=0,
        le=8,
        description="Seats for people and other bots, as far as a table has so many.",
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
        if len(self.cards) not in SEATS:
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
        token = self.operator_token
        value = service_key(token.get_secret_value(), "dealer") if token else None
        return OperatorKey(f"{self.prefix}OPERATOR_TOKEN", value)

    @property
    def cards(self) -> tuple[str, ...]:
        """Agent card URLs of all players to seat, in seat order."""
        players = self.players[: max(0, len(self.players) - len(self.seat))]
        if self.player_key is not None:
            key = self.player_key.get_secret_value()
            players = tuple(keyed_address(player, key) for player in players)
        return (*players, *self.seat)

    def config(self) -> TableConfig:
        if not self.free_seats:
            return room_config(hands=self.hands, seats=len(self.cards), seed=self.seed)
        seats = min(len(self.cards) + self.free_seats, SEATS[-1])
        return room_config(
            hands=self.hands, seats=seats, seed=self.seed, max_action_timeout_ms=LONGEST_CLOCK_MS
        )


class Dealer:
    """Keeps one room open, its configured players seated and its sessions running."""

    def __init__(self, settings: DealerSettings, api: LobbyApi) -> None:
        self._settings = settings
        self._api = api
        self._room_number = 1
        self._seated: dict[str, str] = {}
        """Player ids by agent card URL."""
        self._leaving: dict[str, str] = {}
        """Names of replaced players by id, until they have left."""
        self.is_playing = False
        self._trouble: str | None = None

    @property
    def room_id(self) -> str:
        """The room's id; a closed or failed room is replaced by one with the next number."""
        suffix = f"-{self._room_number}" if self._room_number > 1 else ""
        return f"{self._settings.room}{suffix}"

    async def run(self) -> None:
        while True:
            try:
                room = await self._reconcile()
            except CallFailed as error:
                self._log_trouble(str(error))
                self.is_playing = False
            else:
                self._trouble = None
                self.is_playing = _is_running(room)
            await asyncio.sleep(self._settings.every.total_seconds())

    async def _reconcile(self) -> RoomSnapshot:
        """Open the room, seat missing players and start a session as needed; raises CallFailed."""
        room = await self._room()
        await self._seat_everybody(room)
        return room if _is_running(room) else await self._start(room)

    async def _room(self) -> RoomSnapshot:
        while True:
            try:
                room = await self._api.room(self.room_id)
            except CallFailed as error:
                if error.reason != Reason.ROOM_NOT_FOUND:
                    raise
                self._seated.clear()
                request = CreateRoomInput(room_id=self.room_id, config=self._settings.config())
                room = await self._api.create_room(request)
                logger.info("room_opened", room=room.room_id, table=room.table_agent_card_url)
            if room.state not in ENDING:
                return room
            self._log_trouble(f"room {room.room_id} is {room.state}")
            self._room_number += 1
            self._seated.clear()

    async def _seat_everybody(self, room: RoomSnapshot) -> None:
        """Seat missing players; in a full room, make another player leave first.

        With free seats, a player that is seated beside those of earlier settings takes the place of
        the first of them. Raises CallFailed while a player is missing.
        """
        is_full, before = False, _players(room)
        for card in self._settings.cards:
            if card not in self._seated:
                try:
                    await self._seat(room.room_id, card)
                except CallFailed as error:
                    if error.reason != Reason.ROOM_FULL:
                        raise
                    is_full = True
        if is_full:
            leaving = await self._free_a_seat(room.room_id)
            raise CallFailed(f"room {room.room_id} is full: {leaving} has to leave first")
        own = set(self._seated.values())
        if self._settings.free_seats and not own <= before.keys():
            others = [seat for player_id, seat in before.items() if player_id not in own]
            programs = [seat for seat in others if seat.player_type != "human"]
            for seat in programs[: len(own - before.keys())]:
                await self._api.leave(room.room_id, seat.player_id)
                self._leaving[seat.player_id] = seat.display_name
        if leaving_names := [
            name for player_id, name in self._leaving.items() if player_id in before
        ]:
            raise CallFailed(f"room {room.room_id}: {leaving_names[0]} has to leave first")
        self._leaving.clear()

    async def _seat(self, room_id: str, card: str) -> None:
        """Seat a player, idempotently.

        The request id is derived from the whole command, so it never matches another one. Its
        number counts how often the player was seated again. It may be guessable: a lobby with an
        operator key accepts commands only with that key.
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
                logger.info("player_seated", room=room_id, player=seat.display_name)
                return

    async def _free_a_seat(self, room_id: str) -> str:
        """Make a player that is not in the settings leave, and return its name.

        It is the last one, or with free seats the first one, because later ones came to the free
        seats; people leave only if nobody else can. It leaves after the running hand.
        Raises CallFailed, also if the settings have more players than the room has seats.
        """
        room = await self._api.room(room_id)
        own = self._seated.values()
        others = [seat for player_id, seat in _players(room).items() if player_id not in own]
        if not others:
            raise CallFailed(
                f"room {room_id} has {room.config.max_seats} seats, and"
                f" {len(self._settings.cards)} players are named: name fewer, or another room"
                f" in {self._settings.prefix}ROOM"
            )
        programs = [seat for seat in others if seat.player_type != "human"]
        leaving = (programs or others)[0 if self._settings.free_seats else -1]
        await self._api.leave(room_id, leaving.player_id)
        return leaving.display_name

    async def _start(self, room: RoomSnapshot) -> RoomSnapshot:
        """Start the next session; the lobby starts the first one when the room is full."""
        ready = {"idle", "waiting"} if self._settings.free_seats else {"idle"}
        if room.summary is not None and room.summary.status in ready:
            try:
                await self._api.start(room.room_id)
            except CallFailed as error:
                if error.reason != Reason.ALREADY_RUNNING:
                    raise
        return await self._api.room(room.room_id)

    def _log_trouble(self, trouble: str) -> None:
        """Log a failure, unless it is the same as the last one."""
        if trouble != self._trouble:
            logger.warning("waiting", room=self.room_id, trouble=trouble)
        self._trouble = trouble


def _is_running(room: RoomSnapshot) -> bool:
    return room.summary is not None and room.summary.status == "running"


def _players(room: RoomSnapshot) -> dict[str, PlayerSeat]:
    return {seat.player_id: seat for seat in room.summary.players} if room.summary else {}


def build_app(settings: DealerSettings, api: LobbyApi | None = None) -> Service:
    """Return the dealer's service, without agents; it is ready while the room plays."""
    api = api or LobbyApi(settings.lobby_url, key=settings.key, trusted=settings.client_tls())
    dealer = Dealer(settings, api)
    return Service(
        {}, beside=dealer.run, stop=api.close, checks=lambda: {"the room plays": dealer.is_playing}
    )
