"""A2A interface of the lobby: entrypoints that call the use cases."""

from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import TypeVar

from casino_agentkit import Agent, LargeBody
from casino_contracts import (
    CreateRoomInput,
    LeaveRoomInput,
    NoInput,
    RecordGameEventOutput,
    RecordTableEventsOutput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RegisterTableInput,
    RegisterTableOutput,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableSummary,
)

from casino_lobby.access.lobby_rules import LobbyRules
from casino_lobby.deliveries import DeliveredPart, Deliveries, DeliveryInput, EventBatchInput
from casino_lobby.domain.reported_event import ReportedEvent
from casino_lobby.errors import StoreFailed
from casino_lobby.service.use_cases import RoomUseCases, UseCases
from casino_lobby.table_messages import EVENT_SKILL

RequestT = TypeVar("RequestT")
OutputT = TypeVar("OutputT")
UseCase = Callable[[RequestT], Awaitable[OutputT]]


def _refusing_if_store_fails(use_case: UseCase[RequestT, OutputT]) -> UseCase[RequestT, OutputT]:
    """Wrap an entrypoint: its caller gets a failure of the store as a refusal."""

    @wraps(use_case)
    async def refusing(request: RequestT) -> OutputT:
        try:
            return await use_case(request)
        except StoreFailed as failed:
            raise failed.refusal() from failed

    return refusing


def lobby_agent(
    commands: RoomUseCases,
    lobby: UseCases,
    name: str,
    version: str,
    rules: LobbyRules,
    events: LargeBody,
) -> Agent:
    """Return the lobby as an agent; `rules` authorizes the callers of each entrypoint.

    `events` says who may send more of them than other calls have.
    """
    agent = Agent(
        name,
        "A casino lobby: opens rooms, invites players, starts sessions, records what is played.",
        version=version,
        tags=("casino", "lobby"),
    )

    @agent.entrypoint("createRoom", who=rules.commanding)
    @_refusing_if_store_fails
    async def create_room(request: CreateRoomInput) -> RoomSnapshot:
        """Open a room on a table."""
        return await commands.create_room(request)

    @agent.entrypoint("registerPlayer", who=rules.commanding)
    @_refusing_if_store_fails
    async def register_player(request: RegisterPlayerInput) -> RegisteredPlayer:
        """Invite a player agent into a room and seat it."""
        return await commands.register_player(request)

    @agent.entrypoint("leaveRoom", who=rules.commanding)
    @_refusing_if_store_fails
    async def leave_room(request: LeaveRoomInput) -> TableSummary:
        """Release a seat: at once between hands, otherwise after the running hand."""
        return await commands.leave_room(request)

    @agent.entrypoint("startRoom", who=rules.commanding)
    @_refusing_if_store_fails
    async def start_room(request: StartRoomInput) -> TableSummary:
        """Start a session in a room; returns without waiting for its end."""
        return await commands.start_room(request)

    @agent.entrypoint("listRooms", who=rules.reading)
    @_refusing_if_store_fails
    async def list_rooms(_input: NoInput) -> RoomList:
        """List every room."""
        return await lobby.list_rooms()

    @agent.entrypoint("registerTable", who=rules.announcing)
    @_refusing_if_store_fails
    async def register_table(request: RegisterTableInput) -> RegisterTableOutput:
        """Announce a table agent to the lobby; repeat periodically while it is running."""
        return await lobby.register_table(request)

    @agent.entrypoint(EVENT_SKILL, who=rules.recording, hot=EventBatchInput(), large=events)
    @_refusing_if_store_fails
    async def record_game_event(events: Sequence[ReportedEvent]) -> RecordGameEventOutput:
        """Record a table's events exactly once and in order."""
        return await lobby.record(events)

    deliveries = Deliveries(lobby, rules.recording)

    @agent.entrypoint("recordTableEvents", who=rules.delivering, hot=DeliveryInput(), large=events)
    async def record_table_events(parts: Sequence[DeliveredPart]) -> RecordTableEventsOutput:
        """Record events of several tables, each table's part as `recordGameEvent` would."""
        return await deliveries.record(parts)

    return agent
