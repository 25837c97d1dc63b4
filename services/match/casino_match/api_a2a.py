"""A2A interface of the service of matches: the skill `runMatch`."""

from typing import Final

from casino_agentkit import Agent, IdempotencyCache, Rule
from casino_contracts import RunMatchInput, RunMatchOutput

from casino_match.service.matches import Matches

_REPLIES: Final = 64
"""Number of replies that are kept for repeated requests; each may have a whole result."""


def match_agent(matches: Matches, version: str, who: Rule) -> Agent:
    """Return the agent; `who` authorizes callers. With a `requestId` a call is idempotent."""
    agent = Agent(
        "Matches",
        "Finds out which of several agents plays better: plays No-Limit Hold'em in duplicate by a"
        " plan that is written before the first card, and answers with win rates and intervals.",
        version=version,
        tags=("casino", "match", "evaluation", "poker"),
    )

    @agent.entrypoint("runMatch", who=who, memory=IdempotencyCache(size=_REPLIES))
    async def run_match(request: RunMatchInput) -> RunMatchOutput:
        """Begin a match, resume it, or wait for it; the same plan is the same match."""
        return await matches.run(request)

    return agent
