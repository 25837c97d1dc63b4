"""The use cases of the lobby as its interfaces see them: of one lobby, or of a group."""

from collections.abc import Sequence
from typing import Protocol

from casino_contracts import (
    CreateRoomInput,
    HandRecord,
    LeaveRoomInput,
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

from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.domain.room import Room
from casino_lobby.service.hand_records import HandRecordCache


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
