"""The sample players that the console starts, each as a process."""

import asyncio
import socket
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from casino_agentkit import Child, PortTaken
from casino_agentkit.server.server import bind

from casino.up.processes import HOST, PLAYER_MODULE, Processes

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


class PlayerPorts:
    """Ports for the sample players, kept from others until the end of its context.

    They follow one another from `first_port`; a free one replaces one that is taken.
    """

    def __init__(self, count: int, first_port: int) -> None:
        self._first, self._count = first_port, count
        self.numbers: list[int] = []
        self._kept = ExitStack()

    def __enter__(self) -> Self:
        """Bind them."""
        for number in range(self._first, self._first + self._count):
            listener = self._kept.enter_context(_listener(number))
            self.numbers.append(listener.getsockname()[1])
        return self

    def __exit__(self, *_exception: object) -> None:
        """Release them for the players."""
        self._kept.close()


def _listener(port: int) -> socket.socket:
    try:
        return bind(HOST, port)
    except PortTaken:
        return bind(HOST, 0)


def sample_cards(styles: Sequence[str], ports: Sequence[int]) -> str:
    """Return the lobby's setting that offers these players for free seats, one of each style."""
    ports_of = dict(reversed(list(zip(styles, ports, strict=True))))
    return ",".join(
        f"{style.capitalize()}=http://{HOST}:{ports_of[style]}" for style in sorted(ports_of)
    )


def _names(styles: Sequence[str]) -> list[str]:
    """Return a unique name per player: Caller, then Caller 2."""
    counts: Counter[str] = Counter()
    names = []
    for style in styles:
        counts[style] += 1
        names.append(style.capitalize() + (f" {counts[style]}" if counts[style] > 1 else ""))
    return names
