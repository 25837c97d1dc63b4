"""A completed hand as it is stored, and which hands a reader wants."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from casino_contracts import HandKind, TableEvent

Rank = Literal["score", "pot"]
"""What the best hands are sorted by; a hand that has none is not among them."""


class HandKey(NamedTuple):
    """Identifies a hand of a room; keys sort in the order of play."""

    epoch: int
    number: int


class RankedKey(NamedTuple):
    """The place of a hand among the best ones: the highest first, of equal ones the newest."""

    value: int
    """The score, or the pot in chips."""
    epoch: int
    number: int


@dataclass(frozen=True)
class HandFilter:
    """Which hands of a room a reader wants; None means any."""

    player: str | None = None
    """The id of a player who was dealt in."""
    kind: HandKind | None = None
    since: HandKey | None = None
    """The oldest hand."""


EVERY_HAND = HandFilter()


@dataclass(frozen=True)
class StoredHand:
    """One completed hand."""

    key: HandKey
    first_sequence: int | None
    """Sequence of its `hand_started`; None if that was not reported."""
    completed: TableEvent
    """Its `hand_completed`."""
    pot: int | None = None
    """In chips."""
    score: int = 0
    kinds: tuple[HandKind, ...] = ()

    def ranked(self, by: Rank) -> RankedKey:
        """Return its place among the best hands."""
        return RankedKey(self.score if by == "score" else self.pot or 0, *self.key)
