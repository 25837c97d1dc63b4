"""Seats are taken at the lobby, and given back; what was begun before a crash is undone."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import structlog
from casino_agentkit import HostedAgents
from casino_agentkit.process.background_tasks import BackgroundTasks, Backoff
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import (
    ContributeInput,
    ContributeOutput,
    RegisteredPlayer,
    RegisterPlayerInput,
)
from casino_lobby_client.errors import CallFailed, CallRefused, LobbyAway, UnknownRoom
from casino_lobby_client.lobby_client import LobbyClient
from casino_seats.seat_agent import seat_agent

from casino_gateway import __version__
from casino_gateway.seats.seat_index import SeatPlace
from casino_gateway.store.seat_rows import SeatRows, StoredSeat

_BACKOFF = Backoff(first_s=0.5, slowest_s=30.0)

SEATS = "/seats"
"""The path below which the agents of seats are hosted."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Registration:
    """Seats agents of this process in rooms of the lobby."""

    lobby: LobbyClient
    rows: SeatRows
    hosted: HostedAgents
    public_url: str
    tasks: BackgroundTasks
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def serve(self, place: SeatPlace) -> None:
        async def contribute(request: ContributeInput) -> ContributeOutput:
            """Take part in the deal: a person by the own page, a program by the gateway."""
            return await (await place.seated()).contribute(request)

        agent = seat_agent(place, __version__, contribute)
        self.hosted.add(place.stored.seat_id, agent, lambda: place.is_available)

    def stop_serving(self, seat_id: str) -> None:
        with suppress(KeyError):
            self.hosted.remove(seat_id)

    async def register(self, place: SeatPlace) -> RegisteredPlayer:
        """Register a seat, which the lobby invites meanwhile; the seat is stored before and after.

        Raises CallRefused, UnknownRoom, LobbyAway, StoreFailed; then the seat is given back.
        """
        stored = place.stored
        await self.rows.add(stored)
        self.serve(place)
        place.is_registering = True
        try:
            registered = await self._call(stored)
            place.is_registering = False
            invited = place.invited(registered.player_id)
            place.stored = replace(
                stored,
                player_id=registered.player_id,
                display_name=registered.display_name,
                seat_number=registered.seat_number,
                table_id=invited.table_id if invited else None,
                table_token_digest=invited.token_digest if invited else None,
            )
        except (CallRefused, UnknownRoom):
            self.stop_serving(stored.seat_id)
            await self.rows.forget(stored.seat_id)
            raise
        except BaseException:
            self.abandon(stored)
            raise
        finally:
            place.is_registering = False
        return registered

    def abandon(self, stored: StoredSeat) -> None:
        """Give a seat back that may be registered, and whose token nobody has."""
        self.stop_serving(stored.seat_id)
        self.tasks.begin(self._abandon(stored))

    async def leave(self, room_id: str, player_id: str) -> bool:
        """Give a seat back; False: nobody sits there any more. Raises CallRefused, LobbyAway."""
        try:
            await self.lobby.leave(room_id, player_id)
        except UnknownRoom:
            return False
        except CallRefused as refusal:
            if refusal.status in {404, 410}:
                return False
            raise
        return True

    async def _call(self, stored: StoredSeat) -> RegisteredPlayer:
        return await self.lobby.register(
            RegisterPlayerInput(
                room_id=stored.room_id,
                agent_card_url=f"{self.public_url}{SEATS}/{stored.seat_id}{CARD_PATH}",
                preferred_seat=stored.preferred_seat,
            ),
            key=stored.seat_id,
        )

    async def _abandon(self, stored: StoredSeat) -> None:
        failures = 0
        while True:
            try:
                # The same key: the reply to what was begun. Not begun, it fails: no card is served.
                registered = await self._call(stored)
                await self.leave(stored.room_id, registered.player_id)
            except (CallRefused, UnknownRoom):
                pass
            except LobbyAway:
                failures += 1
                await self.sleep(_BACKOFF.pause_s(failures))
                continue
            try:
                await self.rows.forget(stored.seat_id)
            except CallFailed as error:
                logger.warning("seat_not_forgotten", seat=stored.seat_id, error=str(error))
            return
