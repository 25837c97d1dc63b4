"""Player agents in this process that want notices, and record them."""

from collections.abc import Callable
from typing import Any

from casino_agentkit import ANYONE, Agent
from casino_contracts import HandNotice, HandNoticeOutput

from support.players.any_player import AnyPlayer
from support.table.table_side import Player


def noticed(player: Player | AnyPlayer) -> tuple[Agent, list[HandNotice]]:
    """Return the agent of a player with the skill `notify`, and the notices it gets."""
    agent, notices = player.agent(), []

    @agent.entrypoint("notify", who=ANYONE)
    async def notify(notice: HandNotice) -> HandNoticeOutput:
        """Take a notice."""
        notices.append(notice)
        return HandNoticeOutput()

    return agent, notices


def kinds(notices: list[HandNotice]) -> list[tuple[int, str]]:
    """Return hand number and kind of notices."""
    return [(notice.hand_number, notice.kind) for notice in notices]


def pairs(hands: int, *, of: Callable[[int], bool] = bool) -> list[tuple[int, Any]]:
    """Return the kinds of notices of a player that was dealt into hands."""
    return [
        (number, kind)
        for number in range(1, hands + 1)
        if of(number)
        for kind in ("dealt", "completed")
    ]
