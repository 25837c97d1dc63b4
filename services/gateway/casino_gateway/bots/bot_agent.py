"""The A2A agent of a bot that dialled in: its skills go down the connection."""

from collections.abc import Sequence
from typing import Any

from casino_agentkit import ANYONE, Agent, GrantRule, IdempotencyCache
from casino_seats.seat_agent import SEAT

from casino_gateway import __version__
from casino_gateway.bots.dialled_bot import DialledBot

_TABLE_ID_LENGTH = 128
_ANSWERS = 32


def bot_agent(bot: DialledBot, skills: Sequence[str]) -> Agent:
    """Return the agent.

    Anybody may invite it, as any player, by an address that only its token yields; `act` and
    `notify` are for the table that has the seat token of the invitation.
    """
    agent = Agent(
        bot.name,
        "A bot that is connected to the gateway from its side.",
        version=__version__,
        tags=("casino", "player"),
    )
    table = GrantRule(SEAT, bot.grants, _table_of)

    async def signup(invitation: dict[str, Any]) -> Any:
        """Accept the casino's invitation."""
        reply = await bot.call("signup", invitation)
        token = invitation.get("seatToken")
        bot.grants.add(_table_of(invitation), token if isinstance(token, str) else None)
        return reply

    async def act(request: dict[str, Any]) -> Any:
        """Decide one turn."""
        return await bot.call("act", request)

    async def notify(notice: dict[str, Any]) -> Any:
        """Take the cards at the deal, and the result of a hand."""
        return await bot.call("notify", notice)

    # A question that the table repeats, because the answer was lost, is not asked twice.
    memory = IdempotencyCache(ignoring=("deadlineMs",), size=_ANSWERS)
    agent.entrypoint("signup", who=ANYONE)(signup)
    agent.entrypoint("act", who=table, memory=memory)(act)
    if "notify" in skills:
        agent.entrypoint("notify", who=table)(notify)
    return agent


def _table_of(data: dict[str, Any]) -> str:
    table_id = data.get("tableId")
    return table_id[:_TABLE_ID_LENGTH] if isinstance(table_id, str) else ""
