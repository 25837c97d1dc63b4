"""The sample players that the console starts, each as a process."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from casino_agentkit import Child

from casino.up.processes import PLAYER_MODULE, Processes, free_port

STYLES = ("caller", "equity", "generic", "llm", "maniac", "random", "tight")
SAMPLE_CARDS = "CASINO_LOBBY_SAMPLE_CARDS"
"""The lobby's setting of the bots that its page offers."""
SABOTEURS = ("disconnecting", "garbage", "illegal", "slow")
"""Styles of sample players with a fault, to see a bot play beside them."""


async def start_players(
    processes: Processes, styles: Sequence[str], lobby_url: str, ports: Sequence[int]
) -> list[Child]:
    """Start a player for each style, at its port (0: any free one); raises ChildFailed."""
    starting = [
        processes.start(
            name,
            PLAYER_MODULE,
            [style, "--name", name],
            port,
            CASINO_PLAYER_LOBBY_URL=lobby_url,
        )
        for style, name, port in zip(styles, _names(styles), ports, strict=True)
    ]
    results = await asyncio.gather(*starting, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if isinstance(result, Child)]


def player_ports(count: int, first_port: int) -> list[int]:
    """Return a port for each player: from `first_port` on, or a free one where that is taken."""
    return [free_port(first_port + number) for number in range(count)]


def sample_cards(styles: Sequence[str], ports: Sequence[int]) -> str:
    """Return the lobby's setting that offers these players for free seats, one of each style."""
    ports_of = dict(reversed(list(zip(styles, ports, strict=True))))
    return ",".join(
        f"{style.capitalize()}=http://127.0.0.1:{ports_of[style]}" for style in sorted(ports_of)
    )


def _names(styles: Sequence[str]) -> list[str]:
    """Return a unique name per player: Caller, then Caller 2."""
    counts: Counter[str] = Counter()
    names = []
    for style in styles:
        counts[style] += 1
        names.append(style.capitalize() + (f" {counts[style]}" if counts[style] > 1 else ""))
    return names
