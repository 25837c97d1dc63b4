"""A match between an agent that decides in some way and a sound one, and what comes of it."""

import asyncio
from datetime import timedelta
from typing import Any

from casino_contracts import ActionRequest, ActionResponse
from casino_match.domain.block import Block
from casino_match.domain.plan import Plan

from support.match.agent_side import MatchSide, by_cards
from support.players.holdem_players import illegal
from support.table.table_side import Player

QUICK = {"clock": timedelta(milliseconds=60)}
"""For agents that never answer: each question costs so much real time."""


class Fails:
    """Decides by cards; question number `at` and the next ones fail in a way."""

    def __init__(self, way: str, at: int = 5, times: int = 1) -> None:
        self._way = way
        self._at = at
        self._times = times
        self.asked = 0
        self.answers: dict[str, ActionResponse] = {}

    async def __call__(self, request: ActionRequest) -> ActionResponse:
        """Decide, hang or raise."""
        self.asked += 1
        if self._at <= self.asked < self._at + self._times:
            if self._way == "hangs":
                await asyncio.Event().wait()
            return illegal(request)
        return by_cards(request)


def table_of(decide: Any) -> tuple[MatchSide, Player]:
    """Return the side of a match between an agent `a` that decides so, and a sound agent `b`."""
    player = Player("a", decide)
    return MatchSide(player, Player("b", by_cards)), player


async def undisturbed(plan: Plan) -> Block:
    """Return the block of two sound agents."""
    return await (await table_of(by_cards)[0].match(plan)).play(0)


def outcomes(block: Block) -> dict[Any, int]:
    """Return the outcomes of the first player's decisions."""
    return dict(block.conduct[0].outcomes)


def check_chips(block: Block) -> None:
    """Check that every deck's results add up to 0."""
    assert all(sum(deck.net) == 0 for deck in block.decks)
