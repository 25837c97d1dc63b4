"""How the players' nets went over all hands, in a bounded number of points. Pure.

Hands are put together in steps of equal length, and of each step the lowest and the highest net of
a player are kept, in the order in which they occurred: so no peak is lost. When the steps are
used up, two neighbours become one step of twice the length, which is what counting in such steps
from the beginning would have given. So the series follows from the hands alone.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from struct import pack, unpack
from typing import Annotated

from casino_contracts import MAX_SAFE
from pydantic import BeforeValidator, PlainSerializer

Chips = int | float
"""An amount of the wire; a sum of them may be negative or beyond what the wire allows."""
_DECIMALS = 6


def exact(amount: Chips) -> Chips:
    """Return an amount without floating-point errors.

    >>> exact(0.1 + 0.2), exact(7)
    (0.3, 7)
    """
    return round(amount, _DECIMALS)


def bounded(amount: Chips) -> Chips:
    """Return an amount within what a message may hold: a table may report anything."""
    return max(-MAX_SAFE, min(MAX_SAFE, amount))


STEPS = 200
"""Maximum number of steps; each has two points of a player."""

Points = list[float | None]
"""Two for each step, up to the player's last one; None where the player played no hand of it."""

_BYTES = 8


def _packed(points: Points) -> str:
    """Return points as text, which takes a hundredth of the time of JSON numbers."""
    numbers = (nan if point is None else point for point in points)
    return b64encode(pack(f"<{len(points)}d", *numbers)).decode()


def _unpacked(stored: object) -> object:
    if not isinstance(stored, str):
        return stored
    content = b64decode(stored, validate=True)
    numbers = unpack(f"<{len(content) // _BYTES}d", content)
    return [None if isnan(number) else number for number in numbers]


StoredPoints = Annotated[
    Points, BeforeValidator(_unpacked), PlainSerializer(_packed, when_used="json")
]


@dataclass
class NetSeries:
    """The nets of a room's players after each step of hands."""

    first_hand: int = 1
    hands: int = 0
    hands_per_step: int = 1
    last_hands: list[int] = field(default_factory=list)
    nets: dict[str, StoredPoints] = field(default_factory=dict)

    def add(self, number: int | None, nets: Mapping[str, float]) -> None:
        """Add a completed hand with the nets of its players.

        A hand without a number, or with a lower one than the last, takes the last one's place.
        """
        if self.hands == STEPS * self.hands_per_step:
            self._halve()
        last = self.last_hands[-1] if self.last_hands else 1
        number = max(number or last, last)
        if self.hands == 0:
            self.first_hand = number
        step = self.hands // self.hands_per_step
        if step == len(self.last_hands):
            self.last_hands.append(number)
        else:
            self.last_hands[step] = number
        self.hands += 1
        size = 2 * step + 2
        for player_id, net in nets.items():
            points = self.nets.get(player_id)
            if points is None:
                points = self.nets[player_id] = []
            if len(points) < size:
                points.extend([None] * (size - len(points)))
            _widen(points, size - 2, float(bounded(net)))

    def forget(self, player_id: str) -> None:
        self.nets.pop(player_id, None)

    def _halve(self) -> None:
        self.hands_per_step *= 2
        self.last_hands = self.last_hands[1::2]
        for player_id, points in self.nets.items():
            joined: Points = [None] * (2 * -(-len(points) // 4))
            for at, point in enumerate(points):
                if point is not None:
                    _widen(joined, at // 4 * 2, point)
            self.nets[player_id] = joined


def _widen(points: Points, at: int, net: float) -> None:
    """Let the two points of a step, its extremes in their order, take in a later net."""
    first, second = points[at], points[at + 1]
    if first is None or second is None:
        points[at] = points[at + 1] = net
        return
    low, high = (first, second) if first < second else (second, first)
    if net < low:
        points[at], points[at + 1] = high, net
    elif net > high:
        points[at], points[at + 1] = low, net
