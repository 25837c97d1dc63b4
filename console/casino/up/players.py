"""The sample players that the console starts, each as a process."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from casino_agentkit import Child

from casino.up.processes import PLAYER_MODULE, Processes, port_of

STYLES = ("caller", "equity", "generic", "llm", "maniac", "random", "tight")
SABOTEURS = ("disconnecting", "garbage", "illegal", "slow")
"""Styles of sample players with a fault, to see a bot play beside them."""


async def start_players(
    processes: Processes, styles: Sequence[str], lobby_url: str, first_port: int
) -> list[Child]:
    """Start a player for each style; raises ChildFailed.

    The ports follow one another from `first_port`; 0 means any free ones.
    """
    starting = [
        processes.start(
            name,
            PLAYER_MODULE,
            [style, "--name", name],
            port_of(first_port + number) if first_port else 0,
            CASINO_PLAYER_LOBBY_URL=lobby_url,
        )
        for number, (style, name) in enumerate(zip(styles, _names(styles), strict=True))
    ]
    results = await asyncio.gather(*starting, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if isinstance(result, Child)]


def _names(styles: Sequence[str]) -> list[str]:
    """Return a unique name per player: Caller, then Caller 2."""
    counts: Counter[str] = Counter()
    names = []
    for style in styles:
        counts[style] += 1
        names.append(style.capitalize() + (f" {counts[style]}" if counts[style] > 1 else ""))
    return names
