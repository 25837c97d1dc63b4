"""Use cases of the lobby: create rooms, seat players, start, close, record events."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from casino_agentkit import CommandRefused
from casino_agentkit.authority import is_token
from casino_agentkit.client.origin import same_origin_key
from casino_agentkit.protocol import CAPABILITY_PATH, CARD_PATH
from casino_contracts import (
    CasinoCallback,
    ConfigureTableInput,
    CreateRoomInput,
    HandRecord,
    HandRecordInput,
    LeaveRoomInput,
    LeaveTableInput,
    NoInput,
    RecordGameEventOutput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RegisterTableInput,
    RegisterTableOutput,
    RoomList,
    RoomSnapshot,
    StartOverrides,
    StartRoomInput,
    TableEvent,
    TableEventBatch,
    TableSummary,
)

from casino_lobby.domain.fleet import Fleet, base_url
from casino_lobby.domain.names import NameBook
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_limits import RoomCaps
from casino_lobby.service.background import Background
from casino_lobby.service.clients import Clients
from casino_lobby.service.hand_records import HandRecordCache
from casino_lobby.service.idempotency import CommandRun, CommandType, IdempotentCommands
from casino_lobby.service.ingest import EventIngest
from casino_lobby.service.reconciler import TableReconciler
from casino_lobby.service.seating import Invitations, find_earlier_seat
from casino_lobby.service.sessions import begin, begin_by_itself
from casino_lobby.store import Store, StoreFailed
from casino_lobby.tables.directory import Tables
from casino_lobby.tables.launcher import TableLauncher

CLOSE_TIMEOUT = timedelta(minutes=2)
EVENT_SKILL = "recordGameEvent"
CLOSE_SKILL, LEAVE_SKILL, RECORD_SKILL = "closeTable", "leaveTable", "handRecord"

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class LobbyContext:
    """Identity of a lobby and the functions and keys that it depends on.

    `new_id` returns a new id of a kind, `new_secret` an unguessable token.
    `fleet_key` authorizes the lobby at free announced tables, `launch_key` at launched ones.
    `changed` is called when a room has opened or ended, `repeated` with the number of events that
    were delivered again.
    """

    name: str
    url: str
    signup_timeout: timedelta
    new_id: Callable[[str], str]
    new_secret: Callable[[], str]
    changed: Callable[[Room], None]
    repeated: Callable[[int], None]
    fleet_key: str | None = None
    launch_key: str | None = None


class LobbyService:
    """Implements all use cases of the lobby; its interfaces only translate."""

    def __init__(
        self,
        context: LobbyContext,
        store: Store,
        clients: Clients,
        *,
        fleet: Fleet,
        launcher: Callable[[Callable[[str, str], None]], TableLauncher] | None,
        caps: RoomCaps,
        names: NameBook,
    ) -> None:
        self._context = context
        self._store = store
        self._clients = clients
        self._tables = Tables(
            clients.tables,
            fleet,
            launcher(self._table_lost) if launcher else None,
            self._taken_tables,
            self._configuration,
            context.fleet_key,
            context.launch_key,
            lambda: caps.refuse_launch_beyond(store.rooms()),
        )
        self._caps = caps
        self._names = names
        self._invitations = Invitations(
            clients.players, self._tables, context.name, context.signup_timeout, names, store
        )
        self._ingest = EventIngest(store, context.repeated)
        self.records = HandRecordCache(self._hand_record)
        """Records of completed hands, including cards that were not shown."""
        self._reconciler = TableReconciler(
            store, self._tables, self._configuration, self._ingest.alone, context.changed
        )
        self._closing: dict[str, asyncio.Event] = {}
        self._background = Background()
        self._is_draining = False
        self._commands_once = IdempotentCommands(store, lambda: context.new_id("request"))
        self._creating = CommandType("createRoom", CreateRoomInput, RoomSnapshot, self._create_room)
        self._registering = CommandType(
            "registerPlayer", RegisterPlayerInput, RegisteredPlayer, self._register_player
        )
        self._starting = CommandType("startRoom", StartRoomInput, TableSummary, self._start_room)

    async def open(self) -> None:
        """Restore rooms, reconcile their tables and resume pending commands.

        Raises StoreFailed.
        """
        await self._store.open()
        self._names.learn(await self._store.name_owners())
        for room in self._store.rooms():
            if not room.secret:  # stored by an older release
                room.secret = self._context.new_secret()
                await self._store.save(room)
            if room.phase in {"open", "closing"}:
                self._background.begin(self._restore(room))
        kinds: tuple[CommandType[Any, Any], ...] = (
            self._creating,
            self._registering,
            self._starting,
        )
        by_name = {kind.name: kind for kind in kinds}
        for command in await self._store.pending():
            if command.name in by_name:
                self._background.begin(self._resume(by_name[command.name], command))
            else:
                self._store.unreadable.note("command", command.key, "its kind is unknown")

    async def _restore(self, room: Room) -> None:
        if room.phase == "closing":
            await self._close(room)
        else:
            await self._reconciler.revive(room)
            self._start_if_full(room)

    async def _resume(self, kind: CommandType[Any, Any], command: Any) -> None:
        try:
            await self._commands_once.resume(kind, command)
        except CommandRefused as refusal:  # the caller gets it when it repeats the command
            logger.warning("command_refused", command=command.key, reason=refusal.reason)
        else:
            logger.info("command_resumed", command=command.key)

    # Rooms.

    async def create_room(self, request: CreateRoomInput) -> RoomSnapshot:
        """Open a room on the requested table, a free announced one, or one that is launched.

        Raises CommandRefused: ROOM_EXISTS, TABLE_ID_TAKEN, TABLE_IN_USE, TOO_MANY_ROOMS,
        PORT_TAKEN, NO_TABLE, DRAINING, AGENT_…, and refusal reasons of the table.
        """
        return await self._commands_once.once(self._creating, request)

    async def _create_room(self, request: CreateRoomInput, run: CommandRun) -> RoomSnapshot:
        self._refuse_while_draining()
        room = self._store.room(run.notes.get("roomId", ""))
        if room is None:
            room = self._new_room(request, run.notes.get("roomId"))
            await run.note(roomId=room.room_id)
            await self._store.refuse_archived(room)
            self._refuse_if_taken(room)  # again: another request may have taken the ids meanwhile
            await self._store.add(room)  # before its table may call back
        if room.phase != "opening":  # opened before a crash
            return room.snapshot()
        try:
            await self._tables.provide(room)
        except BaseException:
            await self._store.remove(room)
            self._context.changed(room)
            await self._tables.release(room)
            raise
        room.phase = "open"
        await self._store.save(room)
        self._context.changed(room)
        logger.info("room_opened", room=room.room_id, table=room.table_card_url)
        return room.snapshot()

    def _new_room(self, request: CreateRoomInput, noted_id: str | None) -> Room:
        room_id = request.room_id or noted_id or self._context.new_id("room")
        room = Room(
            room_id,
            request.table_id or room_id,
            request.config,
            request.game_type,
            request.table_agent_skills,
            game_config=request.game_config,
            launch_port=request.launch_options.port if request.launch_options else None,
            table_card_url=request.table_agent_card_url or "",
            secret=self._context.new_secret(),
        )
        self._refuse_if_taken(room)
        return room

    def forget(self, room: Room) -> None:
        """Release the in-memory state of a room that was archived."""
        self._ingest.forget(room)
        self._reconciler.forget(room)

    def _refuse_if_taken(self, room: Room) -> None:
        self._caps.refuse_room_beyond(self._store.rooms())
        room_id, table_id, url = room.room_id, room.table_id, room.table_card_url
        if self._store.room(room_id):
            raise CommandRefused(
                "ROOM_EXISTS", f"There is a room {room_id}; choose another roomId."
            )
        if self._store.room_of_table(table_id):
            raise CommandRefused(
                "TABLE_ID_TAKEN", f"Table {table_id} has a room; choose another tableId."
            )
        taken = {same_origin_key(base_url(other)) for other in self._taken_tables()}
        if url and same_origin_key(base_url(url)) in taken:
            raise CommandRefused("TABLE_IN_USE", f"The table at {url} serves another room.")

    def _taken_tables(self) -> list[str]:
        return [
            room.table_card_url
            for room in self._store.rooms()
            if room.table_card_url and room.phase not in {"closed", "failed"}
        ]

    def _configuration(self, room: Room) -> ConfigureTableInput:
        """Return the configuration for a room's table.

        A table that does not use the room key gets a capability in the callback's URL instead.
        """
        key = room.key()
        capability = "" if room.is_keyed else f"{CAPABILITY_PATH}{key.events}"
        return ConfigureTableInput(
            table_id=room.table_id,
            casino_name=self._context.name,
            config=room.config,
            casino_callback=CasinoCallback(
                agent_card_url=f"{self._context.url}{capability}{CARD_PATH}",
                event_skill=EVENT_SKILL,
                secret=key.secret if room.is_keyed else None,
            ),
            epoch=room.epoch,
            game_type=room.game_type,
            game_config=room.game_config,
        )

    async def list_rooms(self) -> RoomList:
        """Return every room."""
        return RoomList(rooms=tuple(room.summary() for room in self._store.rooms()))

    def room(self, room_id: str) -> Room:
        """Return a room; raises CommandRefused: ROOM_NOT_FOUND."""
        room = self._store.room(room_id)
        if room is None:
            raise CommandRefused("ROOM_NOT_FOUND", f"There is no room {room_id[:128]}.")
        return room

    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        """Return a room's events after a sequence, by default of its current epoch."""
        return await self._store.events(room, after, limit, epoch)

    async def hand_record(self, room: Room, hand_id: str) -> HandRecord:
        """Return the full record of a completed hand; for operators only.

        Raises CommandRefused: UNSUPPORTED, HAND_RUNNING, UNKNOWN_HAND, TABLE_AWAY, AGENT_….
        """
        return await self.records.record(room, hand_id)

    async def _hand_record(self, room: Room, hand_id: str) -> HandRecord:
        await self._reconciler.ready(room)
        if not self._tables.offers(room, RECORD_SKILL):
            raise CommandRefused("UNSUPPORTED", "This room's table keeps no records of hands.")
        message = HandRecordInput(hand_id=hand_id)
        return await self._tables.call(room, RECORD_SKILL, message, HandRecord)

    async def close_room(self, room_id: str) -> RoomSnapshot:
        """Close a room after its running hand; returns without waiting for it.

        Raises CommandRefused: ROOM_NOT_FOUND.
        """
        room = self.room(room_id)
        if room.phase == "open":
            room.phase = "closing"
            await self._store.save(room)
            self._background.begin(self._close(room))
        elif room.phase == "failed":
            room.phase = "closed"
            await self._store.save(room)
        return room.snapshot()

    async def _close(self, room: Room) -> None:
        closed = self._closing[room.room_id] = asyncio.Event()
        try:
            if not room.table_is_closed and self._tables.offers(room, CLOSE_SKILL):
                await self._reconciler.revive(room)
                await self._tables.call(room, CLOSE_SKILL, NoInput(), TableSummary)
                async with asyncio.timeout(CLOSE_TIMEOUT.total_seconds()):
                    await closed.wait()
        except (CommandRefused, TimeoutError) as error:
            logger.warning("close_incomplete", room=room.room_id, error=str(error))
        finally:
            self._closing.pop(room.room_id, None)
        await self._tables.release(room)
        room.phase, room.message = "closed", "the room is closed"
        await self._store.save(room)
        self._context.changed(room)
        logger.info("room_closed", room=room.room_id)

    # Tables.

    async def register_table(self, request: RegisterTableInput) -> RegisterTableOutput:
        """Register a table in the fleet; rooms that are created without a table may get it.

        A table that moved to another address is identified by the token of the room it serves.
        """
        self._tables.announce(request.agent_card_url)
        announced_url = base_url(request.agent_card_url)
        served = self._store.room_of_table(request.table_id or "")
        has_moved = served and base_url(served.table_card_url) != announced_url
        if served and has_moved and served.phase == "open" and _is_table_of(served, request):
            self._background.begin(self._move_table(served, request.agent_card_url))
        for room in self._store.rooms():
            is_at_url = base_url(room.table_card_url) == announced_url and room.phase == "open"
            if is_at_url and room.table_id != request.table_id:
                self._background.begin(self._reconciler.revive(room))
        return RegisterTableOutput()

    async def _move_table(self, room: Room, card_url: str) -> None:
        """Change the address of a room's table if the old address no longer serves the room."""
        if await self._tables.serves(room):
            return
        logger.info("table_moved", room=room.room_id, to=card_url)
        room.table_card_url = card_url
        await self._store.save(room)
        await self._reconciler.revive(room)

    # Players.

    async def register_player(self, request: RegisterPlayerInput) -> RegisteredPlayer:
        """Invite a player agent and have the table seat it.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED, ROOM_FULL, BUY_IN_OUT_OF_RANGE,
        DRAINING, AGENT_…, and refusal reasons of the player and the table.
        """
        return await self._commands_once.once(self._registering, request)

    async def _register_player(
        self, request: RegisterPlayerInput, run: CommandRun
    ) -> RegisteredPlayer:
        self._refuse_while_draining()
        room = await self._ready_room(request.room_id)
        seat = await find_earlier_seat(self._tables, room, request, run)
        if seat is None:
            if room.is_full:
                raise CommandRefused("ROOM_FULL", f"All {room.config.max_seats} seats are taken.")
            seat, agent = await self._invitations.seat(room, request, run)
            room.seat(seat, agent)
            await self._store.save(room)
        logger.info("player_seated", room=room.room_id, player=seat.player_id)
        self._start_if_full(room)
        return RegisteredPlayer(room_id=room.room_id, **seat.model_dump(by_alias=False))

    async def leave_room(self, request: LeaveRoomInput) -> TableSummary:
        """Release a player's seat: at once between hands, otherwise after the running hand.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED, UNKNOWN_PLAYER, UNSUPPORTED, AGENT_….
        """
        room = await self._ready_room(request.room_id)
        if request.player_id not in room.seats:
            raise CommandRefused(
                "UNKNOWN_PLAYER", f"No player with the id {request.player_id} sits in this room."
            )
        if not self._tables.offers(room, LEAVE_SKILL):
            raise CommandRefused("UNSUPPORTED", "This room's table cannot release a seat.")
        leaving = LeaveTableInput(player_id=request.player_id, request_id=request.request_id)
        return await self._tables.call(room, LEAVE_SKILL, leaving, TableSummary)

    # Sessions.

    async def start_room(self, request: StartRoomInput) -> TableSummary:
        """Start a session; returns once it has begun.

        Raises CommandRefused: ROOM_NOT_FOUND, ROOM_CLOSED, ALREADY_RUNNING, DRAINING, AGENT_…, and
        refusal reasons of the table (NOT_ENOUGH_PLAYERS, INVALID_BLINDS, …).
        """
        return await self._commands_once.once(self._starting, request)

    async def _start_room(self, request: StartRoomInput, run: CommandRun) -> TableSummary:
        self._refuse_while_draining()
        room = await self._ready_room(request.room_id)
        sessions_before = run.notes.get("sessions")
        if sessions_before is not None and room.sessions > int(sessions_before):
            # Started before a crash.
            return room.table_summary()
        await run.note(sessions=str(room.sessions))
        overrides = request.overrides or StartOverrides()
        return await begin(self._tables, room, overrides, run.request_id)

    def _start_if_full(self, room: Room) -> None:
        if room.may_start_itself and not self._is_draining:
            self._background.begin(begin_by_itself(self._tables, room))

    # Events.

    async def record(self, request: TableEvent | TableEventBatch) -> RecordGameEventOutput:
        """Record a table's events exactly once and in order.

        Raises CommandRefused: UNKNOWN_TABLE, ROOM_CLOSED, STALE_EPOCH, SEQUENCE_MISSING,
        SEQUENCE_CONFLICT, SEQUENCE_GAP, STORE_FAILED.
        """
        events = request.events if isinstance(request, TableEventBatch) else (request,)
        room = self._store.room_of_table(events[0].table_id)
        if room is None or any(event.table_id != room.table_id for event in events):
            raise CommandRefused(
                "UNKNOWN_TABLE", "No table of this lobby has the id of these events: stop sending."
            )
        if room.is_over:
            raise CommandRefused(
                "ROOM_CLOSED", f"Room {room.room_id} is {room.phase}: stop sending."
            )
        try:
            accepted = await self._ingest.record(room, events)
        except CommandRefused as refusal:
            if isinstance(refusal, StoreFailed):
                # An environment fault: the cause is enough, a traceback adds nothing.
                logger.error("store_failed", room=room.room_id, error=refusal.why)  # noqa: TRY400
            if refusal.reason == "SEQUENCE_CONFLICT" and room.phase in {"open", "closing"}:
                self._background.begin(self._reconciler.revive(room, behind_in=room.epoch))
            raise
        for event in accepted:
            if event.event_type == "hand_completed":
                logger.info(
                    "hand_completed", room=room.room_id, hand=event.hand_id, detail=event.message
                )
        if accepted:
            self._start_if_full(room)
            if room.table_is_closed and room.room_id in self._closing:
                self._closing[room.room_id].set()
        return RecordGameEventOutput(sequence=room.last_sequence)

    # Shutdown.

    async def drain(self) -> None:
        """Refuse new commands; let launched tables finish their hands and deliver the events."""
        self._is_draining = True
        await self._tables.release_all()

    async def stop(self) -> None:
        """Stop background work, launched tables, clients and the store."""
        self._is_draining = True
        await self._background.end()
        await self._tables.release_all()
        await self._clients.close()
        await self._store.close()

    # Helpers.

    async def _ready_room(self, room_id: str) -> Room:
        """Return an open room once its table is reconciled; raises CommandRefused."""
        room = self.room(room_id)
        await self._reconciler.ready(room)
        if room.phase != "open":
            raise CommandRefused("ROOM_CLOSED", f"Room {room_id} is {room.phase}: {room.message}.")
        return room

    def _refuse_while_draining(self) -> None:
        if self._is_draining:
            raise CommandRefused("DRAINING", "The lobby is shutting down; try again later.")

    def _table_lost(self, room_id: str, message: str) -> None:
        """Reconcile a room whose launched table process ended unexpectedly."""
        room = self._store.room(room_id)
        if room is not None and room.phase in {"open", "closing"} and not self._is_draining:
            logger.warning("table_process_ended", room=room_id, cause=message)
            self._background.begin(self._reconciler.revive(room))


def _is_table_of(room: Room, request: RegisterTableInput) -> bool:
    """Return whether an announcement carries the token of the room's table.

    A token of an earlier epoch counts only while no table has sent an event of the room's epoch.
    """
    epoch = request.epoch or room.epoch
    is_current = epoch >= room.epoch or not room.last_sequence
    expected = room.key(epoch).events
    return room.is_keyed and is_current and is_token(request.room_token or "", expected)
