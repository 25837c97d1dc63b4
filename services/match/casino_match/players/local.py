"""The players of a plan that play in this process."""

import time
from collections.abc import Callable
from pathlib import Path

from casino_match.domain.plan import Entrant, Plan
from casino_match.players.function import FunctionPlayer
from casino_match.players.player import Player
from casino_match.players.style import SCHEME, StylePlayer

Now = Callable[[], float]


def is_remote(entrant: Entrant) -> bool:
    """Return whether a player is an agent that is called over the wire."""
    return "://" in entrant.player


def local_players(
    plan: Plan, folder: Path = Path(), now: Now = time.monotonic
) -> tuple[Player, ...]:
    """Return the players of a plan without remote agents; files are relative to `folder`.

    Raises PlayerFailed.
    """
    return tuple(local_player(plan, index, folder, now) for index in range(len(plan.players)))


def local_player(
    plan: Plan, index: int, folder: Path = Path(), now: Now = time.monotonic
) -> Player:
    """Return one player of a plan, which plays in this process; raises PlayerFailed."""
    entrant, clock = plan.players[index], plan.rules.clock
    if entrant.player.startswith(SCHEME):
        style = entrant.player.removeprefix(SCHEME)
        return StylePlayer(entrant.name, style, round(clock.total_seconds() * 1000), now)
    stops = plan.faults.wrong_answer == "stop"
    return FunctionPlayer(entrant, clock, stops=stops, folder=folder, now=now)
