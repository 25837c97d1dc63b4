"""A2A interface of the table agent: the entrypoints of the casino protocol."""

from casino_agentkit import ANYONE, Agent, IdempotencyCache, caller
from casino_contracts import (
    ConfigureTableInput,
    HandRecord,
    HandRecordInput,
    LeaveTableInput,
    NoInput,
    PlayerSeat,
    SeatPlayerInput,
    StartGameInput,
    TableSummary,
)

from casino_table.games import offered_games
from casino_table.rules import TableRules
from casino_table.service import TableService


def table_agent(service: TableService, name: str, version: str, rules: TableRules) -> Agent:
    """Return the agent of one table; `rules` authorizes the callers of each entrypoint.

    Commands with a `requestId` are idempotent: a repeated request returns the first reply.
    """
    agent = Agent(
        name,
        "A table: deals hands, asks players for decisions, publishes events. Plays No-Limit Hold'em"
        " and the other games listed in the params of the card's extension.",
        version=version,
        tags=("casino", "table"),
        about=lambda: {"games": offered_games()},
    )

    @agent.entrypoint("configureTable", who=rules.configuring, memory=IdempotencyCache())
    async def configure_table(request: ConfigureTableInput) -> TableSummary:
        """Configure the table for a room: identity, rules, and where to publish events."""
        return await service.configure(request, is_owner=rules.owns(caller()))

    @agent.entrypoint("registerPlayer", who=rules.playing, memory=IdempotencyCache())
    async def register_player(player: SeatPlayerInput) -> PlayerSeat:
        """Seat a player; a seated player keeps the seat."""
        return await service.register(player)

    @agent.entrypoint("startGame", who=rules.playing, memory=IdempotencyCache())
    async def start_game(start: StartGameInput) -> TableSummary:
        """Begin a session; the reply does not wait for its end."""
        return await service.start(start)

    @agent.entrypoint("leaveTable", who=rules.playing, memory=IdempotencyCache())
    async def leave_table(request: LeaveTableInput) -> TableSummary:
        """Free a player's seat: at once between hands, else after the running hand."""
        return await service.leave(request)

    @agent.entrypoint("tableSummary", who=ANYONE)
    async def table_summary(_empty: NoInput) -> TableSummary:
        """Return status, players and the latest message; only the status without the room key."""
        summary = await service.summary()
        return summary if rules.is_trusted(caller()) else summary.outline()

    @agent.entrypoint("handRecord", who=rules.recording)
    async def hand_record(request: HandRecordInput) -> HandRecord:
        """Return the full record of a completed hand, for the room's operator."""
        return await service.hand_record(request)

    @agent.entrypoint("closeTable", who=rules.playing)
    async def close_table(_empty: NoInput) -> TableSummary:
        """Close the table after the running hand; all players leave with their chips."""
        return await service.close()

    return agent
