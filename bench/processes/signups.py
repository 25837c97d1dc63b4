"""Time of a table's decisions while third parties sign its player up without end.

A lobby, its table and two sample players, each a process. Rounds of equally many hands: quiet; with
20 lines that read the player's card as fast as it answers; with 20 lines that send invitations to
the running table and others. The player is killed and started again between the rounds, while
invitations come. A decision's time is the table's (`latencyMs` of its events, whole milliseconds).

Prints one JSON line: p99 of each kind of part, the ratio of the flooded to the quiet one, and
outcomes. Limits: the ratio is at most 2.0, every decision is `ok`, and at least 10,000 invitations
are answered, each by 200.
"""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import uvloop

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "tests")]

from casino_agentkit.protocol import CARD_PATH
from casino_contracts import TableEvent
from local_casino import progress, until
from rig import print_report
from support.attack.invitation_flood import OK, Flood, Sent, invitations
from support.casino.casino import ProcessCasino, process_casino
from support.casino.members import Process

MOST_OF_QUIET: Final = 2.0
LEAST_INVITATIONS: Final = 10_000
ROOM: Final = "main"
VICTIM: Final = "player-1"
QUIET, READS, SIGNUPS = "quiet", "reads", "signups"
"""Loads of a part."""
SIGNUP: Final = "signup"
WARM_UP_HANDS: Final = 20
_PERCENTILES: Final = 100
_LOOK_S: Final = 0.25


@dataclass(frozen=True)
class Part:
    """Hands that were played whole under one kind of load."""

    load: str
    hands: range

    def milliseconds(self, events: Iterable[TableEvent]) -> list[int]:
        """Return the time of each decision of the player that was flooded."""
        return [
            payload["latencyMs"]
            for payload in taken(events)
            if payload["playerId"] == VICTIM and payload["handNumber"] in self.hands
        ]


def taken(events: Iterable[TableEvent]) -> list[Mapping[str, Any]]:
    """Return the payloads of decisions."""
    payloads = (event.payload for event in events if event.event_type == "action_taken")
    return [payload for payload in payloads if payload is not None]


def p99(milliseconds: Sequence[float]) -> float:
    """Return the 99th percentile.

    >>> p99(range(1, 1001))
    990.99
    """
    return quantiles(milliseconds, n=_PERCENTILES)[-1]


@dataclass
class Game:
    """A running game, one of whose players is flooded."""

    casino: ProcessCasino
    victim: Process
    flood: Flood
    parts: list[Part] = field(default_factory=list)

    async def play(self, load: str, hands: int) -> None:
        """Play hands under a load."""
        async with self._under(load):
            first = await self.casino.count(ROOM) + 2  # the next one has begun before
            part = Part(load, range(first, first + hands))
            await self._completed(part.hands[-1])
        self.parts.append(part)
        progress(part)

    async def restart(self) -> None:
        """Kill the player and start it again while invitations come, and play on."""
        async with self._under(SIGNUPS):
            await self.victim.kill()
            await self.victim.start()
            await self._completed(await self.casino.count(ROOM) + WARM_UP_HANDS)

    @asynccontextmanager
    async def _under(self, load: str) -> AsyncIterator[None]:
        requests: dict[str, Iterator[Sent]] = {
            QUIET: iter(()),
            READS: repeat(Sent(READS, "GET", CARD_PATH)),
            SIGNUPS: invitations(ROOM, VICTIM),
        }
        flooding = asyncio.create_task(self.flood.send(requests[load]))
        try:
            yield
        finally:
            flooding.cancel()
            await asyncio.wait([flooding])

    async def _completed(self, hand: int) -> None:
        async def is_completed() -> bool:
            return await self.casino.count(ROOM) >= hand

        await until(is_completed, _LOOK_S)


async def measure(rounds: int, hands: int, think: str) -> dict[str, Any]:
    """Play rounds of all loads, and return the report."""
    async with process_casino() as casino:
        victim = await casino.sample("caller", name="Victim", CASINO_PLAYER_THINK=think)
        other = await casino.sample("caller", name="Other")
        rules = {"maxHands": 10_000_000, "rebuy": "auto", "actionTimeoutMs": 30_000}
        await casino.open(ROOM, **rules)
        for player in (victim, other):
            (await casino.seat(player.cards[0], ROOM)).raise_for_status()
        (await casino.http.post(f"/v1/rooms/{ROOM}/start", json={})).raise_for_status()
        game = Game(casino, victim, Flood(victim.url))
        await casino.hands(WARM_UP_HANDS, ROOM)
        for number in range(rounds):
            for load in (QUIET, READS, SIGNUPS):
                await game.play(load, hands)
            if number == 0:
                await game.restart()
        await casino.close(ROOM)
        events = await casino.events(ROOM)
    return report(game, events)


def report(game: Game, events: Sequence[TableEvent]) -> dict[str, Any]:
    """Return what was measured, and which limits were missed."""
    times: dict[str, list[int]] = {}
    for part in game.parts:
        times.setdefault(part.load, []).extend(part.milliseconds(events))
    of = {load: p99(milliseconds) for load, milliseconds in times.items()}
    ratio = of[SIGNUPS] / of[QUIET]
    outcomes = Counter(str(payload["outcome"]) for payload in taken(events))
    answers = game.flood.answers[SIGNUP]
    return {
        "bench": "signups",
        "decisions": {load: len(milliseconds) for load, milliseconds in times.items()},
        "p50_ms": {load: median(milliseconds) for load, milliseconds in times.items()},
        "p99_ms": {load: round(value, 1) for load, value in of.items()},
        "max_ms": {load: max(milliseconds) for load, milliseconds in times.items()},
        "reads_of_quiet": round(of[READS] / of[QUIET], 2),
        "signups_of_quiet": round(ratio, 2),
        "outcomes": dict(outcomes),
        "signups": {status.decode(): count for status, count in answers.items()},
        "floor": {"signups_of_quiet": MOST_OF_QUIET, "signups": LEAST_INVITATIONS},
        "missed": [
            *(["signups_of_quiet"] if ratio > MOST_OF_QUIET else []),
            *(["outcomes"] if outcomes.keys() != {"ok"} else []),
            *(["signups"] if answers.keys() != {OK} or answers[OK] < LEAST_INVITATIONS else []),
        ],
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hands", type=int, default=100, help="of each part")
    parser.add_argument("--think", default="20ms", help="how long the player thinks")
    arguments = parser.parse_args()
    print_report(uvloop.run(measure(arguments.rounds, arguments.hands, arguments.think)))


if __name__ == "__main__":
    main()
