"""What the use cases of the lobby share: clients, identity, store, tables, background tasks."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import structlog
from casino_agentkit import (
    AgentClient,
    CallSlots,
    CardSigner,
    CommandRefused,
    HttpTransport,
    Transport,
)
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_agentkit.process.waits import utc_now
from casino_agentkit.traces import Traces
from casino_contracts import Reason

from casino_lobby.domain.lobby_events import MessageBus
from casino_lobby.domain.room import Room
from casino_lobby.service.reconciler import TableReconciler
from casino_lobby.service.table_summaries import TableSummaries
from casino_lobby.settings import LobbySettings
from casino_lobby.store import Store
from casino_lobby.table_directory import Tables

_MAX_GAME_ORIGINS = 16

OutputT = TypeVar("OutputT")

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Clients:
    """One A2A client for each purpose."""

    tables: AgentClient
    players: AgentClient
    games: AgentClient

    async def close(self) -> None:
        for client in (self.tables, self.players, self.games):
            await client.close()


def clients_of(settings: LobbySettings, transport: Transport | None) -> Clients:
    """Return the clients; that of tables may call loopback if the lobby launches tables there."""
    tls, traces = settings.client_tls(), settings.tracing
    outside = settings.outgoing()
    tables = outside.also("loopback") if settings.launch_tables else outside
    return Clients(
        AgentClient(transport or HttpTransport(tables, tls=tls, traces=traces)),
        AgentClient(transport or HttpTransport(outside, tls=tls, traces=traces), slots=CallSlots()),
        AgentClient(
            transport or HttpTransport(outside, tls=tls),
            slots=CallSlots(per_origin=1, in_all=_MAX_GAME_ORIGINS),
        ),
    )


def random_id(kind: str) -> str:
    """Return a new id of a room or a request."""
    return f"{kind}-{secrets.token_hex(8)}"


@dataclass(frozen=True)
class LobbyContext:
    """What the use cases depend on besides stores and agents.

    `name` is shown to players. `new_id` returns a new id of a kind, `new_secret` an unguessable
    token; `sleep` waits for some seconds; `timestamp` is the wall clock as ISO 8601 in UTC.
    `traces` are those of the process, None without any; `signer` has the key of its card.
    """

    name: str
    signup_timeout: timedelta
    new_id: Callable[[str], str]
    new_secret: Callable[[], str]
    bus: MessageBus
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    timestamp: Callable[[], str] = utc_now
    traces: Traces | None = None
    signer: CardSigner | None = None


@dataclass
class Dependencies:
    """The parts that every use case works with."""

    context: LobbyContext
    store: Store
    tables: Tables
    reconciler: TableReconciler
    background: BackgroundTasks
    summaries: TableSummaries
    is_draining: bool = False
    """Whether the lobby shuts down and refuses new commands."""

    def room(self, room_id: str) -> Room:
        """May raise CommandRefused: ROOM_NOT_FOUND."""
        room = self.store.room(room_id)
        if room is None:
            raise CommandRefused(Reason.ROOM_NOT_FOUND, f"There is no room {room_id[:128]}.")
        return room

    async def find_room(self, room_id: str) -> Room:
        """Return a room, also one that is archived; raises CommandRefused: ROOM_NOT_FOUND."""
        room = self.store.room(room_id) or await self.store.retention.archived(room_id)
        return room or self.room(room_id)

    async def room_of_command(self, room_id: str) -> Room:
        """May raise CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED."""
        room = await self.find_room(room_id)
        if room.archived_at is not None:
            raise CommandRefused(
                Reason.ROOM_CLOSED,
                f"Room {room_id} is {room.phase} and archived: it can only be read.",
            )
        return room

    async def ready_room(self, room_id: str) -> Room:
        """Return an open room once its table is reconciled.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED, TABLE_AWAY.
        """
        room = await self.room_of_command(room_id)
        await self.reconciler.ready(room)
        if room.phase != "open":
            raise CommandRefused(
                Reason.ROOM_CLOSED, f"Room {room_id} is {room.phase}: {room.message}."
            )
        return room

    async def at_table(
        self, room_id: str, command: Callable[[Room], Awaitable[OutputT]]
    ) -> OutputT:
        """Return the result of a command at the table of an open room.

        What a table did is void if a new epoch of the room began meanwhile, and what it refused
        counts for nothing: the command is repeated at the table of that epoch, so it has to be
        idempotent. Raises CommandRefused: as `ready_room`, and those of the command.
        """
        while True:
            room = await self.ready_room(room_id)
            epoch = room.epoch
            try:
                output = await command(room)
            except CommandRefused:
                if room.epoch == epoch:
                    raise
            else:
                if room.epoch == epoch:
                    return output
            logger.info("command_repeated", room=room_id, epoch=room.epoch)

    def refuse_while_draining(self) -> None:
        """Raise CommandRefused: DRAINING while the lobby shuts down."""
        if self.is_draining:
            raise CommandRefused(Reason.DRAINING, "The lobby is shutting down; try again later.")
