"""The table agent's face: the casino protocol's entrypoints, as calls of its host."""

from casino_agentkit import Agent, Memory
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

from casino_table.host import TableHost


def table_agent(host: TableHost, name: str, version: str) -> Agent:
    """Return the agent of one table.

    Commands with a `requestId` are idempotent: asked again, the same answer and nothing twice.
    """
    agent = Agent(
        name,
        "A poker table: deals No-Limit Hold'em hands, asks the players, publishes what happened.",
        version=version,
        tags=("casino", "table", "texas-holdem"),
    )

    @agent.entrypoint("configureTable", memory=Memory())
    async def configure_table(given: ConfigureTableInput) -> TableSummary:
        """Give the table its room: identity, rules, and where to publish."""
        return await host.configure(given)

    @agent.entrypoint("registerPlayer", memory=Memory())
    async def register_player(player: SeatPlayerInput) -> PlayerSeat:
        """Seat a player; he is dealt in when his turn comes."""
        return await host.register(player)

    @agent.entrypoint("startGame", memory=Memory())
    async def start_game(start: StartGameInput) -> TableSummary:
        """Begin a session; answered at once."""
        return await host.start(start)

    @agent.entrypoint("leaveTable", memory=Memory())
    async def leave_table(given: LeaveTableInput) -> TableSummary:
        """Give a seat back: at once between hands, else after the running hand."""
        return await host.leave(given)

    @agent.entrypoint("tableSummary")
    async def table_summary(_nothing: NoInput) -> TableSummary:
        """Tell status, players and the latest message."""
        return await host.summary()

    @agent.entrypoint("handRecord")
    async def hand_record(given: HandRecordInput) -> HandRecord:
        """Tell the operator everything of a completed hand; needs the room's secret."""
        return await host.hand_record(given)

    @agent.entrypoint("closeTable")
    async def close_table(_nothing: NoInput) -> TableSummary:
        """End after the running hand; everybody leaves with his chips."""
        return await host.close()

    return agent
