"""The use cases of a lobby in a group: each is executed by the lobby that owns the room."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar
from zlib import crc32

from casino_agentkit import CommandRefused, HttpTransport, LargeBody, Transport
from casino_agentkit.authority import caller, is_token
from casino_agentkit.client.outgoing import OutgoingPolicy
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_agentkit.protocol import BODY_LIMIT
from casino_contracts import (
    ContributeInput,
    ContributeOutput,
    HandRecord,
    Reason,
    RecordGameEventOutput,
    RegisterTableInput,
    RegisterTableOutput,
    RoomList,
    TableEvent,
    Waiting,
    WireModel,
)
from starlette.routing import BaseRoute
from typing_extensions import override

from casino_lobby.access.lobby_rules import LobbyRules
from casino_lobby.domain.reported_event import ReportedEvent, model_of
from casino_lobby.domain.room import Room
from casino_lobby.errors import RETRY_AFTER_S, StoreFailed
from casino_lobby.service import peer_operations
from casino_lobby.service.command_replies import CommandType
from casino_lobby.service.lobby_service import LobbyService
from casino_lobby.service.peer_calls import (
    NO_ROOM,
    TABLE_PATIENCE_S,
    FleetRelay,
    OwnerRouting,
    PeerClient,
    PeerEndpoint,
)
from casino_lobby.service.peer_operations import PATH, PeerOperation
from casino_lobby.service.use_cases import HandRecordCache, UseCases
from casino_lobby.settings import LobbySettings
from casino_lobby.store import Store
from casino_lobby.store.lobby_store import Member

InputT = TypeVar("InputT", bound=WireModel)
OutputT = TypeVar("OutputT", bound=WireModel)
RequestT = TypeVar("RequestT", bound=WireModel)


class GroupLobby(UseCases):
    """Reads from memory; commands are executed by `lobby` or by the room's owner.

    `admit_events` checks that events come from the table of a room, as at the entrypoint: a room
    may be read only after its table has sent something. `new_id` returns a new id of a kind.
    """

    def __init__(
        self,
        lobby: LobbyService,
        store: Store,
        client: PeerClient,
        routing: OwnerRouting,
        *,
        admit_events: Callable[[Sequence[ReportedEvent]], None],
        new_id: Callable[[str], str],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._lobby = lobby
        self._store = store
        self._client = client
        self._routing = routing
        self._admit_events = admit_events
        self._new_id = new_id
        self._relay = FleetRelay(client, store.group.others, sleep)
        self._background = BackgroundTasks()
        self.records = HandRecordCache(self._hand_record)

    async def open(self) -> None:
        """Open the lobby, and begin to relay announcements; raises StoreFailed."""
        await self._lobby.open()
        self._background.begin(self._relay.run())

    async def stop(self) -> None:
        await self._background.end()
        await self._client.close()

    # Queries.

    @override
    async def list_rooms(self) -> RoomList:
        return await self._lobby.list_rooms()

    @override
    async def find_room(self, room_id: str) -> Room:
        try:
            return await self._room(room_id) or await self._lobby.find_room(room_id)
        except StoreFailed as failed:
            raise CommandRefused(
                Reason.STANDBY,
                "The database cannot be asked whether another lobby has this room; try again.",
                details={"retryAfter": str(RETRY_AFTER_S)},
            ) from failed

    @override
    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        return await self._lobby.events(room, after, limit, epoch)

    @override
    async def _hand_record(
        self, room: Room, hand_id: str, *, with_questions: bool = False
    ) -> HandRecord:
        wanted = peer_operations.RoomRecordInput(
            room_id=room.room_id, hand_id=hand_id, with_questions=with_questions
        )
        return await self._at_owner(peer_operations.HAND_RECORD, wanted, room.room_id)

    # Commands.

    @override
    async def run(self, command: CommandType[RequestT, OutputT], request: RequestT) -> OutputT:
        operation = peer_operations.COMMANDS[command.name]
        room_id = command.room_id(request)
        if room_id is not None:
            order = command.order(self._repeatable(request))
            return await self._at_owner(operation, order, room_id)
        # Here, unless another lobby executes this very command.
        request_id = getattr(request, "request_id", None)
        if request_id is None:
            return await self._lobby.run(command, request)
        order = command.order(request)

        async def owner() -> Member | bool:
            return await self._store.group.command_owner(f"{command.name}/{request_id}") or True

        return await self._routing.execute(
            operation, order, owner, lambda: self._lobby.run(command, order)
        )

    # What tables send.

    @override
    async def register_table(self, request: RegisterTableInput) -> RegisterTableOutput:
        # Here and at the other lobbies, or at the owner of its room, which alone grants leases.
        room = await self._room_of_table(request.table_id) if request.table_id else None
        is_served = room is not None and not room.is_over
        if request.leaving is not None or not is_served:
            self._relay.put(request)
        if room is None or not is_served:
            return await self._lobby.register_table(request)
        return await self._at_owner(
            peer_operations.REGISTER_TABLE, request, room.room_id, is_of_table=True
        )

    @override
    async def record(
        self, events: Sequence[ReportedEvent], waits: Sequence[Waiting] | None = None
    ) -> RecordGameEventOutput:
        table_id = events[0].table_id
        room = self._store.room_of_table(table_id)
        if room is None:
            room = await self._room_of_table(table_id)
            if room is not None:
                self._admit_events(events)
        if room is None or self._store.group.owns(room):
            return await self._lobby.record(events, waits)
        return await self._at_owner(
            peer_operations.RECORD_EVENTS,
            peer_operations.RecordedBatch.model_construct(
                events=tuple(map(model_of, events)), waits=None if waits is None else tuple(waits)
            ),
            room.room_id,
            lambda: self._lobby.record(events, waits),
            is_of_table=True,
        )

    @override
    async def contribute(self, request: ContributeInput) -> ContributeOutput:
        return await self._lobby.contribute(request)  # every lobby gives the same

    # Helpers.

    async def _at_owner(
        self,
        operation: PeerOperation[InputT, OutputT],
        message: InputT,
        room_id: str,
        here: Callable[[], Awaitable[OutputT]] | None = None,
        *,
        is_of_table: bool = False,
    ) -> OutputT:
        """Execute an operation, by `here` (by default its own function) if this is the owner."""
        here = here or partial(operation.do, self._lobby, message)

        async def owner() -> Member | bool:
            room = await self._room(room_id)
            if room is None or self._store.group.owns(room):
                return True  # of an unknown room this lobby says so itself
            return self._store.group.owner_of(room) or False

        if is_of_table:
            return await self._routing.execute(
                operation, message, owner, here, patience_s=TABLE_PATIENCE_S, is_read_here=False
            )
        return await self._routing.execute(operation, message, owner, here)

    async def _room(self, room_id: str) -> Room | None:
        return self._store.room(room_id) or await self._store.group.find(room_id)

    async def _room_of_table(self, table_id: str) -> Room | None:
        """Return the room of a table, also one that another lobby has opened just now."""
        room = self._store.room_of_table(table_id)
        if room is None:
            await self._store.group.find(NO_ROOM)
            room = self._store.room_of_table(table_id)
        return room

    def _repeatable(self, request: RequestT) -> RequestT:
        """Return a command with a request id: it may have to be repeated at the next owner."""
        if getattr(request, "request_id", "") is not None:
            return request
        return request.model_copy(update={"request_id": self._new_id("request")})


class GroupParts:
    """The use cases and routes of a lobby; without a peer key it is in no group."""

    def __init__(
        self,
        settings: LobbySettings,
        lobby: LobbyService,
        store: Store,
        rules: LobbyRules,
        transport: Transport | None,
        clock: Callable[[], float],
        new_id: Callable[[str], str],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.use_cases: UseCases = lobby
        self.routes: Sequence[BaseRoute] = ()
        self.large_bodies: Mapping[str, LargeBody] = {}
        self._lobby = lobby
        self._group: GroupLobby | None = None
        if settings.peer_key is None:
            return
        key = settings.peer_key.get_secret_value()
        # The operator chooses the addresses of all lobbies, so every class of them is allowed.
        outside = HttpTransport(OutgoingPolicy(), tls=settings.client_tls())
        client = PeerClient(transport or outside, key)
        self._group = self.use_cases = GroupLobby(
            lobby,
            store,
            client,
            OwnerRouting(store, client, clock, sleep),
            admit_events=lambda events: rules.recording.admit(caller(), events),
            new_id=new_id,
            sleep=sleep,
        )
        self.routes = (PeerEndpoint(lobby, store, key).route(),)
        large = LargeBody(BODY_LIMIT, lambda sender: is_token(sender.token, key))
        self.large_bodies = {PATH: large}  # events that another lobby got

    async def open(self) -> None:
        """Open the lobby, and begin what it does for the others; raises StoreFailed."""
        await (self._group or self._lobby).open()

    async def stop(self) -> None:
        if self._group is not None:
            await self._group.stop()


def table_order(peer_url: str | None) -> Callable[[str], int]:
    """Return an order of free tables; each lobby has another, so two seldom choose the same."""
    if peer_url is None:
        return lambda _card_url: 0
    return lambda card_url: crc32(card_url.encode(), crc32(peer_url.encode()))
