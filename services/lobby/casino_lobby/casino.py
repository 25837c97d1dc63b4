"""The use cases of the lobby: create a room, seat a player, start, close, record events."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from typing import Any, TypeVar

import structlog
from casino_agentkit import AgentClient, Memory, Refusal
from casino_agentkit.wire import CARD_PATH
from casino_contracts import (
    CasinoCallback,
    ConfigureTableInput,
    CreateRoomInput,
    NoInput,
    RecordGameEventOutput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RegisterTableInput,
    RegisterTableOutput,
    RoomList,
    RoomSnapshot,
    StartGameInput,
    StartOverrides,
    StartRoomInput,
    TableEvent,
    TableEventBatch,
    TableSummary,
    WireModel,
)

from casino_lobby.fleet import Fleet, base_url
from casino_lobby.launcher import TableLauncher
from casino_lobby.recording import new_events
from casino_lobby.rooms import Room
from casino_lobby.seating import give_seat, invite
from casino_lobby.store import Store
from casino_lobby.tables import Tables

InputT = TypeVar("InputT", bound=WireModel)
OutputT = TypeVar("OutputT")

CLOSE_TIMEOUT = timedelta(minutes=2)
EVENT_SKILL = "recordGameEvent"
CLOSE_SKILL = "closeTable"

logger = structlog.get_logger(__name__)


class Casino:
    """Everything the lobby does; its faces only translate."""

    def __init__(
        self,
        name: str,
        url: str,
        store: Store,
        client: AgentClient,
        *,
        fleet: Fleet,
        launcher: Callable[[Callable[[str, str], None]], TableLauncher] | None,
        new_room_id: Callable[[], str],
        signup_timeout: timedelta,
    ) -> None:
        self._name = name
        self._url = url
        self._store = store
        self._client = client
        self._tables = Tables(
            client, fleet, launcher(self._table_lost) if launcher else None, self._taken_tables
        )
        self._new_room_id = new_room_id
        self._signup_timeout = signup_timeout
        self._closing: dict[str, asyncio.Event] = {}
        self._memory = Memory()
        self._background: set[asyncio.Task[None]] = set()
        self._is_draining = False

    # Rooms.

    async def create_room(self, given: CreateRoomInput) -> RoomSnapshot:
        """Open a room on the table of the given card, or on one that the lobby launches.

        Raises Refusal: ROOM_EXISTS, TABLE_ID_TAKEN, TABLE_IN_USE, PORT_TAKEN, NO_TABLE, DRAINING,
        AGENT_…, and whatever the table refuses.
        """
        return await self._once("createRoom", given, self._create_room)

    async def _create_room(self, given: CreateRoomInput) -> RoomSnapshot:
        self._refuse_while_draining()
        room = self._new_room(given)
        self._store.add(room)  # before its table may call back
        try:
            await self._tables.provide(room, given, self._configuration(room, given))
        except BaseException:
            self._store.remove(room)
            await self._tables.release(room)
            raise
        room.phase = "open"
        logger.info("room_opened", room=room.room_id, table=room.table_card_url)
        return room.snapshot()

    def _new_room(self, given: CreateRoomInput) -> Room:
        room_id = given.room_id or self._new_room_id()
        table_id = given.table_id or room_id
        if self._store.room(room_id):
            raise Refusal("ROOM_EXISTS", f"There is a room {room_id}; choose another roomId.")
        if self._store.room_of_table(table_id):
            raise Refusal("TABLE_ID_TAKEN", f"Table {table_id} has a room; choose another tableId.")
        url = given.table_agent_card_url
        if url and base_url(url) in {base_url(taken) for taken in self._taken_tables()}:
            raise Refusal("TABLE_IN_USE", f"The table at {url} serves another room.")
        return Room(
            room_id,
            table_id,
            given.config,
            given.game_type,
            given.table_agent_skills,
            table_card_url=url or "",
        )

    def _taken_tables(self) -> list[str]:
        return [
            room.table_card_url
            for room in self._store.rooms()
            if room.table_card_url and room.phase not in {"closed", "failed"}
        ]

    def _configuration(self, room: Room, given: CreateRoomInput) -> ConfigureTableInput:
        return ConfigureTableInput(
            table_id=room.table_id,
            casino_name=self._name,
            config=given.config,
            casino_callback=CasinoCallback(
                agent_card_url=f"{self._url}{CARD_PATH}", event_skill=EVENT_SKILL
            ),
            epoch=room.epoch,
            game_type=given.game_type,
            game_config=given.game_config,
        )

    async def list_rooms(self) -> RoomList:
        """Return every room."""
        return RoomList(rooms=tuple(room.summary() for room in self._store.rooms()))

    def room(self, room_id: str) -> Room:
        """Return a room; raises Refusal: ROOM_NOT_FOUND."""
        room = self._store.room(room_id)
        if room is None:
            raise Refusal("ROOM_NOT_FOUND", f"There is no room {room_id[:128]}.")
        return room

    async def events(self, room: Room, after: int, limit: int) -> list[TableEvent]:
        """Return a room's events after a sequence."""
        return await self._store.events(room, after, limit)

    async def close_room(self, room_id: str) -> RoomSnapshot:
        """End a room after its running hand; answers at once.

        Raises Refusal: ROOM_NOT_FOUND.
        """
        room = self.room(room_id)
        if room.phase == "open":
            room.phase = "closing"
            self._in_background(self._close(room))
        elif room.phase == "failed":
            room.phase = "closed"
        return room.snapshot()

    async def _close(self, room: Room) -> None:
        try:
            if self._tables.offers(room, CLOSE_SKILL):
                closed = self._closing[room.room_id] = asyncio.Event()
                await self._tables.call(room, CLOSE_SKILL, NoInput(), TableSummary)
                async with asyncio.timeout(CLOSE_TIMEOUT.total_seconds()):
                    await closed.wait()
        except (Refusal, TimeoutError) as error:
            logger.warning("close_incomplete", room=room.room_id, error=str(error))
        finally:
            self._closing.pop(room.room_id, None)
        await self._tables.release(room)
        room.phase, room.message = "closed", "the room is closed"
        logger.info("room_closed", room=room.room_id)

    # Tables.

    async def register_table(self, given: RegisterTableInput) -> RegisterTableOutput:
        """Take a table into the fleet: rooms that are created without one may get it."""
        self._tables.announce(given.agent_card_url)
        for room in self._store.rooms():
            serves_here = room.table_card_url == given.agent_card_url and room.phase == "open"
            if serves_here and room.table_id != given.table_id:
                self._in_background(self._fail_if_forgotten(room))
        return RegisterTableOutput()

    async def _fail_if_forgotten(self, room: Room) -> None:
        """Ask the table itself: the announcement may be older than the room."""
        try:
            table = await self._tables.call(room, room.skills.summary, NoInput(), TableSummary)
        except Refusal as refusal:
            logger.warning("table_silent", room=room.room_id, reason=refusal.reason)
            return
        if table.table_id != room.table_id and room.phase == "open":
            room.fail("the table agent was started anew and has forgotten the room")
            logger.error("table_lost", room=room.room_id, table=room.table_card_url)

    # Players.

    async def register_player(self, given: RegisterPlayerInput) -> RegisteredPlayer:
        """Invite a player agent, and have the table seat it.

        Raises Refusal: ROOM_NOT_FOUND, ROOM_CLOSED, ROOM_FULL, BUY_IN_OUT_OF_RANGE, DRAINING,
        AGENT_…, and whatever player or table refuse.
        """
        return await self._once("registerPlayer", given, self._register_player)

    async def _register_player(self, given: RegisterPlayerInput) -> RegisteredPlayer:
        self._refuse_while_draining()
        room = self._open_room(given.room_id)
        if room.is_full:
            raise Refusal("ROOM_FULL", f"All {room.config.max_seats} seats are taken.")
        signup = await invite(self._client, self._name, room, given, self._signup_timeout)
        seat = await give_seat(self._tables, room, given, signup)
        room.seat(seat)
        logger.info("player_seated", room=room.room_id, player=seat.player_id)
        self._start_if_full(room)
        return RegisteredPlayer(room_id=room.room_id, **seat.model_dump(by_alias=False))

    # Sessions.

    async def start_room(self, given: StartRoomInput) -> TableSummary:
        """Begin a session and answer at once.

        Raises Refusal: ROOM_NOT_FOUND, ROOM_CLOSED, ALREADY_RUNNING, DRAINING, AGENT_…, and
        whatever the table refuses (NOT_ENOUGH_PLAYERS, INVALID_BLINDS, …).
        """
        return await self._once("startRoom", given, self._start_room)

    async def _start_room(self, given: StartRoomInput) -> TableSummary:
        self._refuse_while_draining()
        room = self._open_room(given.room_id)
        return await self._start(room, given.overrides or StartOverrides())

    async def _start(self, room: Room, overrides: StartOverrides) -> TableSummary:
        if room.is_playing or room.is_starting:
            raise Refusal(
                "ALREADY_RUNNING",
                f"Room {room.room_id} is playing; a full room starts by itself.",
            )
        room.begins()
        sessions = room.sessions
        start = StartGameInput(**overrides.model_dump(by_alias=False))
        try:
            summary = await self._tables.call(room, room.skills.start, start, TableSummary)
        except Refusal as refusal:
            return self._plays_after_all(room, refusal)
        finally:
            room.is_starting = False
        if room.sessions == sessions:  # its event is still on the way
            room.status = summary.status
        return summary

    def _plays_after_all(self, room: Room, refusal: Refusal) -> TableSummary:
        """Return how a table stands whose reply is late but whose events tell that it plays.

        One that knows only the protocol document answers when everything is played.
        """
        if refusal.reason == "AGENT_TIMED_OUT" and room.is_playing:
            return room.table_summary()
        raise refusal

    def _start_if_full(self, room: Room) -> None:
        if room.may_start_itself and not self._is_draining:
            self._in_background(self._start_itself(room))

    async def _start_itself(self, room: Room) -> None:
        if not room.may_start_itself:
            return
        try:
            await self._start(room, StartOverrides())
        except Refusal as refusal:
            logger.warning("auto_start_refused", room=room.room_id, reason=refusal.reason)

    # Events.

    async def record(self, given: TableEvent | TableEventBatch) -> RecordGameEventOutput:
        """Take a table's events, each once and in order.

        Raises Refusal: UNKNOWN_TABLE, STALE_EPOCH, SEQUENCE_CONFLICT, SEQUENCE_GAP.
        """
        events = given.events if isinstance(given, TableEventBatch) else (given,)
        room = self._store.room_of_table(events[0].table_id)
        if room is None or any(event.table_id != room.table_id for event in events):
            raise Refusal("UNKNOWN_TABLE", "These events are of no table of this lobby: stop.")
        accepted = await new_events(self._store, room, events)
        if accepted:
            await self._store.record(room, accepted)
            for event in accepted:
                if event.event_type == "hand_completed":
                    logger.info("hand_completed", room=room.room_id, told=event.message)
            self._start_if_full(room)
            if room.table_is_closed and room.room_id in self._closing:
                self._closing[room.room_id].set()
        return RecordGameEventOutput(sequence=room.last_sequence)

    # The lobby's own end.

    async def drain(self) -> None:
        """Take no more commands; let launched tables finish their hands and deliver them."""
        self._is_draining = True
        await self._tables.release_all()

    async def stop(self) -> None:
        """End at once."""
        self._is_draining = True
        for task in self._background:
            task.cancel()
        await self._tables.release_all()
        await self._client.close()

    # Within.

    def _open_room(self, room_id: str) -> Room:
        room = self.room(room_id)
        if room.phase != "open":
            raise Refusal("ROOM_CLOSED", f"Room {room_id} is {room.phase}: {room.message}.")
        return room

    def _refuse_while_draining(self) -> None:
        if self._is_draining:
            raise Refusal("DRAINING", "The casino is closing; try again later.")

    def _table_lost(self, room_id: str, message: str) -> None:
        room = self._store.room(room_id)
        if room is not None and room.phase in {"open", "opening", "closing"}:
            room.fail(message)
        if room_id in self._closing:
            self._closing[room_id].set()

    async def _once(
        self, name: str, given: InputT, do: Callable[[InputT], Awaitable[OutputT]]
    ) -> OutputT:
        """Run a command, or give the answer it got when it was sent before."""
        key = self._memory.key(name, given.model_dump())
        return await do(given) if key is None else await self._memory.answer(key, lambda: do(given))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.error("background_task_failed", error=repr(error))
