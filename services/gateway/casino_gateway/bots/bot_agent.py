"""The A2A agent of a bot that dialled in: its skills go down the connection."""

from collections.abc import Sequence
from typing import Any

from casino_agentkit import ANYONE, Agent, IdempotencyCache

from casino_gateway import __version__
from casino_gateway.bots.dialled_bot import DialledBot

_ANSWERS = 32


def bot_agent(bot: DialledBot, skills: Sequence[str]) -> Agent:
    """Return the agent, which whoever knows its address may call: only the bot's token yields it.

    Answers are kept for the token of their caller, so one table never gets those to another.
    """
    agent = Agent(
        bot.name,
        "A bot that is connected to the gateway from its side.",
        version=__version__,
        tags=("casino", "player"),
    )

    async def signup(invitation: dict[str, Any]) -> Any:
        """Accept the casino's invitation."""
        return await bot.call("signup", invitation)

    async def act(request: dict[str, Any]) -> Any:
        """Decide one turn."""
        return await bot.call("act", request)

    async def notify(notice: dict[str, Any]) -> Any:
        """Take the cards at the deal, and the result of a hand."""
        return await bot.call("notify", notice)

    # A question that the table repeats, because the answer was lost, is not asked twice.
    memory = IdempotencyCache(ignoring=("deadlineMs",), size=_ANSWERS)
    agent.entrypoint("signup", who=ANYONE)(signup)
    agent.entrypoint("act", who=ANYONE, memory=memory)(act)
    if "notify" in skills:
        agent.entrypoint("notify", who=ANYONE)(notify)
    return agent
