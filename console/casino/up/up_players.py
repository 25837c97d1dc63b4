"""The sample players that the console starts, each as a process."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from casino_agentkit import Child
from casino_agentkit.protocol import keyed_address
from casino_player_example import style_catalogue

from casino.up.casino_plan import CAST, DEFAULT_STYLES, CasinoPlan
from casino.up.casino_ports import HOST, KeptPort
from casino.up.service_processes import PLAYER_MODULE, ServiceProcesses

STYLES = tuple(sorted((*style_catalogue.STYLES, *style_catalogue.ANY_GAME_STYLES)))
SAMPLE_CARDS = "CASINO_LOBBY_SAMPLE_CARDS"
"""The lobby's setting of the bots that its page offers."""
PLAYER_KEY = "CASINO_PLAYER_KEY"
"""The players' setting of the key that their callers need."""
SAMPLE_KEY = "CASINO_LOBBY_SAMPLE_KEY"
"""The lobby's setting of the key of the bots that its page offers."""
SABOTEURS = tuple(style_catalogue.SABOTEURS)
"""Styles of sample players with a fault, to see a bot play beside them."""


@dataclass(frozen=True)
class SampleProcess:
    """A process of sample players of one style."""

    style: str
    name: str
    count: int = 1

    def card(self, port: int) -> str:
        return f"http://{HOST}:{port}" + ("/players/1" if self.count > 1 else "")

    def __str__(self) -> str:
        return self.name if self.count == 1 else f"{self.name} 1 to {self.count}"


def sample_processes(plan: CasinoPlan) -> list[SampleProcess]:
    """Return the processes: for one room one a player, for several one a style."""
    names = CAST if plan.styles == DEFAULT_STYLES else {}
    if plan.tables > 1:
        styles = Counter(style for room in plan.rooms for style in plan.styles_in(room))
        return [SampleProcess(style, _name(style, names), styles[style]) for style in styles]
    return single_players(plan.example_styles, names)


def _name(style: str, names: Mapping[str, str]) -> str:
    return names.get(style) or style.capitalize()


def single_players(
    styles: Sequence[str], names: Mapping[str, str] = MappingProxyType({})
) -> list[SampleProcess]:
    """Return a process for each player, with a unique name: Caller, then Caller 2.

    `names` are those of styles that have one.
    """
    counts: Counter[str] = Counter()
    samples = []
    for style in styles:
        counts[style] += 1
        number = f" {counts[style]}" if counts[style] > 1 else ""
        samples.append(SampleProcess(style, _name(style, names) + number))
    return samples


def cards_by_room(
    plan: CasinoPlan, samples: Sequence[SampleProcess], cards: Sequence[Sequence[str]]
) -> dict[str, list[str]]:
    """Return the sample players' card URLs by room, in the order of its styles."""
    of_style: dict[str, list[str]] = {}
    for sample, own in zip(samples, cards, strict=True):
        of_style.setdefault(sample.style, []).extend(own)
    left = {style: iter(own) for style, own in of_style.items()}
    return {room: [next(left[style]) for style in plan.styles_in(room)] for room in plan.rooms}


async def start_players(
    processes: ServiceProcesses,
    samples: Sequence[SampleProcess],
    lobby_url: str,
    ports: Sequence[KeptPort],
    keys: Mapping[str, str],
) -> list[Child]:
    """Start the processes at their ports; `keys` by style. Raises ChildFailed, PortTaken."""
    starting = [
        processes.start(
            sample.name,
            PLAYER_MODULE,
            [sample.style, "--name", sample.name],
            port,
            CASINO_PLAYER_LOBBY_URL=lobby_url,
            CASINO_PLAYER_COUNT=str(sample.count),
            **({PLAYER_KEY: keys[sample.style]} if sample.style in keys else {}),
        )
        for sample, port in zip(samples, ports, strict=True)
    ]
    results = await asyncio.gather(*starting, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if isinstance(result, Child)]


def sample_cards(
    samples: Sequence[SampleProcess], ports: Sequence[int], keys: Mapping[str, str]
) -> str:
    """Return the lobby's setting that offers these players for free seats, one of each style."""
    first = reversed(list(zip(samples, ports, strict=True)))
    offered = {sample.style: sample.card(port) for sample, port in first}
    names = {sample.style: sample.name for sample in reversed(samples)}
    offered |= {
        style: keyed_address(offered[style], key) for style, key in keys.items() if style in offered
    }
    return ",".join(f"{_label(names[style], style)}={offered[style]}" for style in sorted(offered))


def _label(name: str, style: str) -> str:
    return name if name.startswith(style.capitalize()) else f"{name} ({style})"
