"""The lobby agent's face: the casino protocol's entrypoints, as calls of the use cases."""

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
from casino_lobby.service.lobby import EVENT_SKILL, LobbyService


def lobby_agent(casino: LobbyService, name: str, version: str, rules: LobbyRules) -> Agent:
    """Return the lobby as an agent; `rules` decides who may call what."""
    agent = Agent(
        name,
        "A casino lobby: opens rooms, invites players, starts sessions, records what is played.",
        version=version,
        tags=("casino", "lobby"),
    )

    @agent.entrypoint("createRoom", who=rules.commanding)
    async def create_room(given: CreateRoomInput) -> RoomSnapshot:
        """Open a room on a table."""
        return await casino.create_room(given)

    @agent.entrypoint("registerPlayer", who=rules.commanding)
    async def register_player(given: RegisterPlayerInput) -> RegisteredPlayer:
        """Invite a player agent into a room and seat it."""
        return await casino.register_player(given)

    @agent.entrypoint("leaveRoom", who=rules.commanding)
    async def leave_room(given: LeaveRoomInput) -> TableSummary:
        """Give a seat back: at once between hands, else after the running hand."""
        return await casino.leave_room(given)

    @agent.entrypoint("startRoom", who=rules.commanding)
    async def start_room(given: StartRoomInput) -> TableSummary:
        """Begin a session in a room; answered at once."""
        return await casino.start_room(given)

    @agent.entrypoint("listRooms", who=rules.reading)
    async def list_rooms(_nothing: NoInput) -> RoomList:
        """List every room."""
        return await casino.list_rooms()

    @agent.entrypoint("registerTable", who=rules.announcing)
    async def register_table(given: RegisterTableInput) -> RegisterTableOutput:
        """Know a table agent that offers itself; said again and again while it lives."""
        return await casino.register_table(given)

    @agent.entrypoint(EVENT_SKILL, who=rules.recording)
    async def record_game_event(given: RecordGameEventInput) -> RecordGameEventOutput:
        """Take a table's events, each once and in order."""
        return await casino.record(given)

    return agent
