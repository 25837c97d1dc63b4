"""The table agent's face: the casino protocol's entrypoints, as calls of its host."""

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


def table_agent(host: TableService, name: str, version: str, rules: TableRules) -> Agent:
    """Return the agent of one table; `rules` decides who may call what.

    Commands with a `requestId` are idempotent: asked again, the same answer and nothing twice.
    """
    agent = Agent(
        name,
        "A table: deals hands, asks the players, publishes what happened. No-Limit Hold'em and the"
        " other games that stand in the params of the card's extension.",
        version=version,
        tags=("casino", "table"),
        about=lambda: {"games": offered_games()},
    )

    @agent.entrypoint("configureTable", who=rules.configuring, memory=IdempotencyCache())
    async def configure_table(given: ConfigureTableInput) -> TableSummary:
        """Give the table its room: identity, rules, and where to publish."""
        return await host.configure(given, is_owner=rules.owns(caller()))

    @agent.entrypoint("registerPlayer", who=rules.playing, memory=IdempotencyCache())
    async def register_player(player: SeatPlayerInput) -> PlayerSeat:
        """Seat a player; he is dealt in when his turn comes."""
        return await host.register(player)

    @agent.entrypoint("startGame", who=rules.playing, memory=IdempotencyCache())
    async def start_game(start: StartGameInput) -> TableSummary:
        """Begin a session; answered at once."""
        return await host.start(start)

    @agent.entrypoint("leaveTable", who=rules.playing, memory=IdempotencyCache())
    async def leave_table(given: LeaveTableInput) -> TableSummary:
        """Give a seat back: at once between hands, else after the running hand."""
        return await host.leave(given)

    @agent.entrypoint("tableSummary", who=ANYONE)
    async def table_summary(_nothing: NoInput) -> TableSummary:
        """Return status, players and the latest message; to others than its lobby the status."""
        summary = await host.summary()
        return summary if rules.is_trusted(caller()) else summary.outline()

    @agent.entrypoint("handRecord", who=rules.recording)
    async def hand_record(given: HandRecordInput) -> HandRecord:
        """Return everything of a completed hand, for the room's operator."""
        return await host.hand_record(given)

    @agent.entrypoint("closeTable", who=rules.playing)
    async def close_table(_nothing: NoInput) -> TableSummary:
        """End after the running hand; everybody leaves with his chips."""
        return await host.close()

    return agent
