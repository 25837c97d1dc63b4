"""The use cases of the lobby as its interfaces see them: of one lobby, or of a group.

The services beside a lobby use them within their scope and share.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol

from casino_agentkit import CommandRefused, caller
from casino_agentkit.bounded_state import LruDict
from casino_contracts import (
    CreateRoomInput,
    HandRecord,
    LeaveRoomInput,
    Reason,
    RecordGameEventOutput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RegisterTableInput,
    RegisterTableOutput,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableEvent,
    TableSummary,
)
from casino_contracts.lobby_messages import Service

from casino_lobby.access.operator import Operator
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_limits import SCOPES, RoomOrder, SeatOrder, order_of
from casino_lobby.errors import NotAdmitted

KEPT = 256
"""Maximum number of cached records, of about 10 kB each."""

_Key = tuple[str, str]


class HandRecordCache:
    """Cache of hand records; `ask` fetches one from a room's table and raises CommandRefused."""

    def __init__(self, ask: Callable[[Room, str], Coroutine[Any, Any, HandRecord]]) -> None:
        self._fetch = ask
        self._cached = LruDict[_Key, HandRecord](KEPT)
        self._requests: dict[_Key, asyncio.Task[HandRecord]] = {}

    async def record(self, room: Room, hand_id: str) -> HandRecord:
        """Return a completed hand's record; raises CommandRefused, also ROOM_CLOSED."""
        key = (room.room_id, hand_id)
        cached = self._cached.get(key)
        if cached is not None:
            return cached
        if room.archived_at is not None:
            raise CommandRefused(
                Reason.ROOM_CLOSED,
                f"Room {room.room_id} is archived: its table cannot be asked for records.",
            )
        task = self._requests.get(key)
        if task is None:
            task = asyncio.create_task(self._fetch(room, hand_id))
            self._requests[key] = task
            task.add_done_callback(lambda done: self._store_result(key, done))
        return await asyncio.shield(task)  # a cancelled caller must not cancel the others' request

    def _store_result(self, key: _Key, task: asyncio.Task[HandRecord]) -> None:
        del self._requests[key]
        if not task.cancelled() and task.exception() is None:
            self._cached.put(key, task.result())


class RoomUseCases(Protocol):
    """Commands about rooms, which have an owner; `LobbyService` says what each of them raises."""

    async def create_room(self, request: CreateRoomInput) -> RoomSnapshot:
        """Open a room."""
        ...

    async def close_room(self, room_id: str) -> RoomSnapshot:
        """Close a room after its running hand."""
        ...

    async def register_player(self, request: RegisterPlayerInput) -> RegisteredPlayer:
        """Invite a player agent and have the table seat it."""
        ...

    async def leave_room(self, request: LeaveRoomInput) -> TableSummary:
        """Release a player's seat."""
        ...

    async def start_room(self, request: StartRoomInput) -> TableSummary:
        """Start a session."""
        ...


class UseCases(RoomUseCases, Protocol):
    """All commands and queries."""

    @property
    def records(self) -> HandRecordCache:
        """Records of completed hands, including cards that were not shown."""
        ...

    async def list_rooms(self) -> RoomList:
        """Return every room."""
        ...

    async def find_room(self, room_id: str) -> Room:
        """Return a room, as far as this lobby has read it, or from the archive.

        Raises CommandRefused.
        """
        ...

    async def events(
        self, room: Room, after: int, limit: int, epoch: int | None = None
    ) -> list[TableEvent]:
        """Return a room's events after a sequence, by default of its current epoch."""
        ...

    async def hand_record(
        self, room: Room, hand_id: str, *, with_questions: bool = False
    ) -> HandRecord:
        """Return the full record of a completed hand; for operators only."""
        ...

    async def register_table(self, request: RegisterTableInput) -> RegisterTableOutput:
        """Register a table in the fleet."""
        ...

    async def record(self, events: Sequence[ReportedEvent]) -> RecordGameEventOutput:
        """Record a table's events exactly once and in order."""
        ...


_IN_PROGRESS: Final = {"commands": 16, "commands that open a room": 4}
"""How many a service may have in progress; each of the latter may start a process."""


class ScopedUseCases:
    """Implements `RoomUseCases`; entrypoints admit callers without the key of a service."""

    def __init__(self, use_cases: UseCases, operator: Operator) -> None:
        self._use_cases = use_cases
        self._operator = operator
        self._running = Counter[tuple[Service, str]]()

    async def create_room(self, request: CreateRoomInput) -> RoomSnapshot:
        """Open a room of the caller."""
        async with self._command("createRoom", request) as (service, sent):
            return await self._use_cases.create_room(order_of(RoomOrder, sent, owner=service))

    async def close_room(self, room_id: str) -> RoomSnapshot:
        """Close a room after its running hand."""
        async with self._command("closeRoom", room_id=room_id):
            return await self._use_cases.close_room(room_id)

    async def register_player(self, request: RegisterPlayerInput) -> RegisteredPlayer:
        """Invite a player agent and have the table seat it."""
        async with self._command("registerPlayer", request, request.room_id) as (service, sent):
            order = order_of(SeatOrder, sent, registrar=service)
            return await self._use_cases.register_player(order)

    async def leave_room(self, request: LeaveRoomInput) -> TableSummary:
        """Release a player's seat."""
        async with self._command("leaveRoom", request, request.room_id, request.player_id) as (
            _,
            sent,
        ):
            return await self._use_cases.leave_room(sent)

    async def start_room(self, request: StartRoomInput) -> TableSummary:
        """Start a session."""
        async with self._command("startRoom", request, request.room_id) as (_, sent):
            return await self._use_cases.start_room(sent)

    @asynccontextmanager
    async def _command(
        self,
        command: str,
        request: Any = None,
        room_id: str | None = None,
        player_id: str | None = None,
    ) -> AsyncIterator[tuple[Service | None, Any]]:
        """Admit and count a command within the block; gives the service, and what it sends.

        Raises CommandRefused: OPERATOR_ONLY, ROOM_NOT_FOUND, TOO_MANY_REQUESTS.
        """
        token = caller().token
        service = self._operator.service_of(token)
        if service is None:
            yield None, request
            return
        self._operator.admit_command(token, command)
        if room_id is not None:
            room = await self._use_cases.find_room(room_id)
            if not _may(service, command, room, player_id):
                raise NotAdmitted(
                    Reason.OPERATOR_ONLY,
                    f"The {service} may not {command} in room {room.room_id}: it is not its own"
                    + ("." if room.entry == "open" else ", and its seats are for the invited."),
                )
        kinds = [(service, "commands")]
        if command == "createRoom":
            kinds.append((service, "commands that open a room"))
        for kind in kinds:
            if self._running[kind] >= _IN_PROGRESS[kind[1]]:
                raise NotAdmitted(
                    Reason.TOO_MANY_REQUESTS,
                    f"The {service} has {_IN_PROGRESS[kind[1]]} {kind[1]} in progress, its share of"
                    " this lobby; send it again a little later.",
                    details={"retryAfter": "1"},
                )
        self._running.update(kinds)
        try:
            yield service, _of_service(request, service)
        finally:
            self._running.subtract(kinds)


def _may(service: Service, command: str, room: Room, player_id: str | None) -> bool:
    """Return whether a service may send a command of its scope about a room."""
    if room.owner == service:
        return True
    if room.entry != "open" or command not in SCOPES[service].open_rooms:
        return False
    agent = room.agents.get(player_id or "")
    return player_id is None or (agent is not None and agent.registrar == service)


def _of_service(request: Any, service: Service) -> Any:
    """Return a command whose request id is the service's own: no caller gets another's reply."""
    request_id = getattr(request, "request_id", None)
    if request_id is None:
        return request
    digest = hashlib.blake2b(request_id.encode(), digest_size=16).hexdigest()
    return request.model_copy(update={"request_id": f"{service}/{digest}"})
