"""A2A interface of the lobby: entrypoints that call the use cases."""

from casino_agentkit import Agent
from casino_contracts import (
    CreateRoomInput,
    LeaveRoomInput,
    NoInput,
    RecordGameEventInput,
    RecordGameEventOutput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RegisterTableInput,
    RegisterTableOutput,
    RoomList,
    RoomSnapshot,
    StartRoomInput,
    TableSummary,
)

from casino_lobby.access.rules import LobbyRules
from casino_lobby.service.lobby import LobbyService
from casino_lobby.service.rooms import EVENT_SKILL


def lobby_agent(casino: LobbyService, name: str, version: str, rules: LobbyRules) -> Agent:
    """Return the lobby as an agent; `rules` authorizes the callers of each entrypoint."""
    agent = Agent(
        name,
        "A casino lobby: opens rooms, invites players, starts sessions, records what is played.",
        version=version,
        tags=("casino", "lobby"),
    )

    @agent.entrypoint("createRoom", who=rules.commanding)
    async def create_room(request: CreateRoomInput) -> RoomSnapshot:
        """Open a room on a table."""
        return await casino.create_room(request)

    @agent.entrypoint("registerPlayer", who=rules.commanding)
    async def register_player(request: RegisterPlayerInput) -> RegisteredPlayer:
        """Invite a player agent into a room and seat it."""
        return await casino.register_player(request)

    @agent.entrypoint("leaveRoom", who=rules.commanding)
    async def leave_room(request: LeaveRoomInput) -> TableSummary:
        """Release a seat: at once between hands, otherwise after the running hand."""
        return await casino.leave_room(request)

    @agent.entrypoint("startRoom", who=rules.commanding)
    async def start_room(request: StartRoomInput) -> TableSummary:
        """Start a session in a room; returns without waiting for its end."""
        return await casino.start_room(request)

    @agent.entrypoint("listRooms", who=rules.reading)
    async def list_rooms(_input: NoInput) -> RoomList:
        """List every room."""
        return await casino.list_rooms()

    @agent.entrypoint("registerTable", who=rules.announcing)
    async def register_table(request: RegisterTableInput) -> RegisterTableOutput:
        """Announce a table agent to the lobby; repeat periodically while it is running."""
        return await casino.register_table(request)

    @agent.entrypoint(EVENT_SKILL, who=rules.recording)
    async def record_game_event(request: RecordGameEventInput) -> RecordGameEventOutput:
        """Record a table's events exactly once and in order."""
        return await casino.record(request)

    return agent
