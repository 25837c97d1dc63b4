"""What one lobby of a group asks of another one: the operations of `POST /peer/{operation}`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, TypeVar

from casino_agentkit import CommandRefused
from casino_contracts import (
    HandRecord,
    RecordGameEventOutput,
    RegisterTableInput,
    RegisterTableOutput,
    TableEventBatch,
    WireModel,
)
from casino_contracts.base import optional
from casino_contracts.table_commands import WaitList
from pydantic import Field

from casino_lobby.service.command_replies import CommandType
from casino_lobby.service.lobby_service import LobbyService
from casino_lobby.service.room_lifecycle import ROOM_COMMANDS

InputT = TypeVar("InputT", bound=WireModel)
OutputT = TypeVar("OutputT", bound=WireModel)

PATH = "/peer/"
MOST_TABLES = 256
"""How many announcements are relayed in one request."""

_COMMAND_S = 60.0
"""The limit of a command, which waits for players and tables."""
_TABLE_S = 4.0
"""The limit of what a table sends: it waits for 5 s, and repeats it by itself."""


class RoomRecordInput(WireModel):
    """Read the full record of a completed hand from the room's table."""

    room_id: str
    hand_id: str
    with_questions: bool = False


class AnnouncedTables(WireModel):
    """Tables that announced themselves at another lobby, without their rooms' tokens."""

    tables: Annotated[tuple[RegisterTableInput, ...], Field(max_length=MOST_TABLES)]


class RecordedBatch(TableEventBatch):
    """Events of a table, and why it waits if that is news."""

    waits: WaitList | None = optional()


class Noted(WireModel):
    """The announcements were noted."""

    ok: bool = True


@dataclass(frozen=True)
class PeerOperation(Generic[InputT, OutputT]):
    """One operation: its messages, its implementation, and what it is about.

    `room_id` and `table_id` return the id of its room or of its table, by which the owner is found;
    None for an operation that every lobby executes.
    """

    name: str
    input: type[InputT]
    output: type[OutputT]
    do: Callable[[LobbyService, InputT], Awaitable[OutputT]]
    room_id: Callable[[InputT], str | None] | None = None
    table_id: Callable[[InputT], str] | None = None
    is_found_by_command: bool = False
    """Whether its owner is the lobby that has begun to execute this very command."""
    timeout_s: float = _COMMAND_S


async def _hand_record(lobby: LobbyService, wanted: RoomRecordInput) -> HandRecord:
    room = lobby.room(wanted.room_id)
    return await lobby.hand_record(room, wanted.hand_id, with_questions=wanted.with_questions)


async def _note_tables(lobby: LobbyService, announced: AnnouncedTables) -> Noted:
    for table in announced.tables:
        try:
            await lobby.register_table(table)
        except CommandRefused:  # there are too many: the table has its answer from the other lobby
            continue
    return Noted()


def _of_command(command: CommandType[Any, Any]) -> PeerOperation[Any, Any]:
    return PeerOperation(
        command.name,
        command.input,
        command.output,
        lambda lobby, request: lobby.run(command, request),
        command.room_id,
        is_found_by_command=command.opens_room,
    )


COMMANDS: Final = {name: _of_command(command) for name, command in ROOM_COMMANDS.items()}
HAND_RECORD = PeerOperation(
    "handRecord", RoomRecordInput, HandRecord, _hand_record, lambda request: request.room_id
)
RECORD_EVENTS = PeerOperation(
    "recordGameEvent",
    RecordedBatch,
    RecordGameEventOutput,
    lambda lobby, request: lobby.record(request.events, request.waits),
    table_id=lambda request: request.events[0].table_id,
    timeout_s=_TABLE_S,
)
REGISTER_TABLE = PeerOperation(
    "registerTable",
    RegisterTableInput,
    RegisterTableOutput,
    LobbyService.register_table,
    table_id=lambda request: request.table_id or "",
    timeout_s=_TABLE_S,
)
ANNOUNCED_TABLES = PeerOperation(
    "announcedTables", AnnouncedTables, Noted, _note_tables, timeout_s=_TABLE_S
)

OPERATIONS: dict[str, PeerOperation[Any, Any]] = {
    **COMMANDS,
    **{
        operation.name: operation
        for operation in (HAND_RECORD, RECORD_EVENTS, REGISTER_TABLE, ANNOUNCED_TABLES)
    },
}
"""By name, the last segment of the path."""
