"""The lobby's service: one method for each use case, its start and end."""

from collections.abc import Sequence
from typing import Any

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts import (
    ContributeInput,
    ContributeOutput,
    HandRecord,
    HandRecordInput,
    Reason,
    RecordGameEventOutput,
    RegisterTableInput,
    RegisterTableOutput,
    RoomList,
    TableEvent,
    Waiting,
    WaitReason,
)
from typing_extensions import override

from casino_lobby.domain.deal_book import contribution_of
from casino_lobby.domain.display_names import NameBook
from casino_lobby.domain.lobby_events import (
    EventsCommitted,
    EventsRefused,
    NamesOwned,
    RoomArchived,
    RoomChanged,
    RoomsTaken,
    StoreHealth,
    TableLost,
    TableReplaced,
)
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_limits import RoomCaps
from casino_lobby.domain.room_views import room_summary
from casino_lobby.errors import StoreFailed
from casino_lobby.service.command_replies import CommandType, IdempotentCommands, OutputT, RequestT
from casino_lobby.service.dependencies import Clients, Dependencies, LobbyContext
from casino_lobby.service.fleet_announcements import Announcements, FleetWatch
from casino_lobby.service.player_seating import Invitations, NameRegistry
from casino_lobby.service.reconciler import TableReconciler
from casino_lobby.service.recording import EventIngest, EventRecording, RefusedEvents
from casino_lobby.service.room_lifecycle import ROOM_COMMANDS, RoomCommands, start_if_full
from casino_lobby.service.session_signing import SessionSigning
from casino_lobby.service.table_summaries import TableSummaries
from casino_lobby.service.use_cases import HandRecordCache, UseCases
from casino_lobby.store import Store
from casino_lobby.table_directory import Tables

logger = structlog.get_logger(__name__)


RECORD_SKILL = "handRecord"


class LobbyService(UseCases):
    """The use cases of this lobby; its interfaces only translate."""

    def __init__(
        self,
        context: LobbyContext,
        store: Store,
        clients: Clients,
        tables: Tables,
        *,
        caps: RoomCaps,
        names: NameBook,
    ) -> None:
        self._clients = clients
        self._names = NameRegistry(names, store)
        self._ingest = EventIngest(store, context.bus)
        self._refused = RefusedEvents(context.bus)
        reconciler = TableReconciler(
            store, tables, self._ingest.lock, context.bus, context.timestamp
        )
        background = BackgroundTasks()
        summaries = TableSummaries(
            store, tables, reconciler, context.bus, background, context.sleep
        )
        self._parts = parts = Dependencies(
            context, store, tables, reconciler, background, summaries
        )
        invitations = Invitations(
            clients.players, tables, context.name, context.signup_timeout, self._names
        )
        self._rooms = RoomCommands(parts, caps, invitations)
        self._announcements = Announcements(parts)
        self._watch = FleetWatch(parts, context.sleep)
        self._recording = EventRecording(parts, self._ingest, self._rooms)
        self.signing = SessionSigning(store, context.signer, background)
        self.records = HandRecordCache(self._hand_record)
        self._commands = IdempotentCommands(
            self._rooms, store, lambda: context.new_id("request"), context.traces
        )

    async def open(self) -> None:
        """Restore rooms, reconcile their tables and resume pending commands. Raises StoreFailed."""
        await self._parts.store.open()
        self._names.learn(await self._parts.store.names.all())
        self._parts.background.begin(self._watch.run())
        self._parts.background.begin(self._watch.run_asking())
        await self._restore(self._parts.store.own_rooms())

    def take_rooms(self, event: RoomsTaken) -> None:
        """Go on with the rooms and commands of a lobby that was lost."""
        logger.warning("rooms_taken", rooms=len(event.rooms))
        if not self._parts.is_draining:
            self._parts.background.begin(self._restore_taken(event.rooms))

    def learn_names(self, event: NamesOwned) -> None:
        self._names.learn(event.owners)

    async def _restore_taken(self, rooms: Sequence[Room]) -> None:
        try:
            await self._restore(rooms)
        except StoreFailed as failed:  # they are another lobby's by now, or after the next start
            logger.warning("rooms_not_restored", error=str(failed))

    async def _restore(self, rooms: Sequence[Room]) -> None:
        """Reconcile rooms with their tables and resume commands; raises StoreFailed."""
        self._watch.expect_tables(rooms)
        for room in rooms:
            room.waits.end(WaitReason.STORE_FAILED)  # the store was opened since it was saved
            if room.phase == "open":
                self._parts.reconciler.reserve(room)
                self._parts.context.bus.publish(RoomChanged(room))
        for room in rooms:
            if room.phase in {"open", "closing"}:
                self._parts.background.begin(self._rooms.restore(room))
        self._parts.background.begin(self.signing.catch_up(rooms))
        for command in await self._commands.unfinished(ROOM_COMMANDS):
            if command.name in ROOM_COMMANDS:
                self._parts.background.begin(self._resume(ROOM_COMMANDS[command.name], command))
            else:
                self._parts.store.unreadable.note("command", command.key, "its kind is unknown")

    async def _resume(self, kind: CommandType[Any, Any], command: Any) -> None:
        try:
            await self._commands.resume(kind, command)
        except (CommandRefused, StoreFailed) as error:  # the caller gets it on its next attempt
            logger.warning("command_refused", command=command.key, reason=error.reason)
        else:
            logger.info("command_resumed", command=command.key)

    # Rooms.

    @override
    async def run(self, command: CommandType[RequestT, OutputT], request: RequestT) -> OutputT:
        return await self._commands.once(command, command.order(request))

    @override
    async def list_rooms(self) -> RoomList:
        return RoomList(rooms=tuple(room_summary(room) for room in self._parts.store.rooms()))

    def room(self, room_id: str) -> Room:
        """May raise CommandRefused: ROOM_NOT_FOUND."""
        return self._parts.room(room_id)

    @override
    async def find_room(self, room_id: str) -> Room:
        return await self._parts.find_room(room_id)

    @override
    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        return await self._parts.store.events(room, after, limit, epoch)

    @override
    async def register_table(self, request: RegisterTableInput) -> RegisterTableOutput:
        return await self._announcements.register(request)

    @override
    async def record(
        self, events: Sequence[ReportedEvent], waits: Sequence[Waiting] | None = None
    ) -> RecordGameEventOutput:
        return await self._recording.record(events, waits)

    @override
    async def contribute(self, request: ContributeInput) -> ContributeOutput:
        room = self._parts.store.room_of_table(request.table_id)
        if room is not None:  # in a group, another lobby may have recorded what counts
            room = await self._parts.store.group.find(room.room_id)
        if room is None:
            raise CommandRefused(Reason.UNKNOWN_TABLE, "tableId: no table here has this id.")
        if room.is_over:
            raise CommandRefused(Reason.ROOM_CLOSED, f"Room {room.room_id} is {room.phase}.")
        return contribution_of(room, request)

    # Reactions to lobby events.

    def forget_room(self, event: RoomArchived) -> None:
        self._ingest.forget(event.room)
        self.signing.forget(event.room)
        self._refused.forget(event.room)
        self._parts.reconciler.forget(event.room)

    def sign_sessions(self, event: EventsCommitted) -> None:
        if not self._parts.is_draining:
            self.signing.follow(event)

    def note_refused(self, event: EventsRefused) -> None:
        self._refused.note(event)

    def reconcile_table(self, event: TableLost) -> None:
        """Reconcile a room whose launched table process ended unexpectedly."""
        room = self._parts.store.room(event.room_id)
        if room is None or not self._parts.store.group.owns(room) or self._parts.is_draining:
            return
        if room.phase in {"open", "closing"}:
            self._parts.background.begin(self._parts.reconciler.revive(room))

    def follow_table(self, event: TableReplaced) -> None:
        """Go on with what a room's former table was doing: its close, or a start that is due."""
        self._rooms.go_on_closing(event.room)
        start_if_full(self._parts, event.room)

    def note_store(self, event: StoreHealth) -> None:
        """Say at all own rooms that nothing of them is recorded, or that it is again."""
        reason, since = WaitReason.STORE_FAILED, self._parts.context.timestamp()
        for room in self._parts.store.own_rooms():
            if event.error is None:
                room.waits.end(reason)
            else:
                room.waits.begin(Waiting.of(reason, since, event.error))
            if room.phase == "open":
                self._parts.context.bus.publish(RoomChanged(room))

    # Shutdown.

    async def drain(self) -> None:
        """Refuse new commands; let launched tables finish their hands and deliver the events."""
        self._parts.is_draining = True
        await self._parts.tables.release_all()

    async def stop(self) -> None:
        self._parts.is_draining = True
        await self._parts.background.end()
        await self._parts.tables.release_all()
        await self._clients.close()
        await self._parts.store.close()

    # Helpers.

    @override
    async def _hand_record(
        self, room: Room, hand_id: str, *, with_questions: bool = False
    ) -> HandRecord:
        await self._parts.reconciler.ready(room)
        if not self._parts.tables.offers(room, RECORD_SKILL):
            raise CommandRefused(Reason.UNSUPPORTED, "This room's table keeps no records of hands.")
        message = HandRecordInput(hand_id=hand_id, questions=with_questions or None)
        return await self._parts.tables.call(room, RECORD_SKILL, message, HandRecord)
