"""The betting between two players with fixed sizes: pure numbers, no card, no name.

Both pay an ante. In each betting round the first player begins; every bet and raise has the size
of the round, and there are only so many of them. A call, or a check behind a check, ends a round.
A bet or raise that one of the two could not pay in full is not offered: nobody is ever all-in.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["CHECK", "BET", "CALL", "RAISE", "FOLD"]
KINDS: tuple[Kind, ...] = ("CHECK", "BET", "CALL", "RAISE", "FOLD")


class FixedLimit:
    """The chips of one hand and whose turn it is; read freely, change by `act` only."""

    __slots__ = (
        "_decisions",
        "_most_raises",
        "_raises",
        "_sizes",
        "actor",
        "betting_round",
        "folded",
        "is_over",
        "paid",
        "stacks",
    )

    def __init__(
        self, stacks: Sequence[int], ante: int, sizes: Sequence[int], most_raises: int
    ) -> None:
        """Take the antes; `sizes` has the size of a bet for each round."""
        self.stacks = [stack - ante for stack in stacks]
        """Behind, by player."""
        self.paid = [ante, ante]
        """Put in by each player during the hand."""
        self.actor = 0
        self.betting_round = 0
        self.folded: int | None = None
        """Who gave up."""
        self.is_over = False
        self._sizes = sizes
        self._most_raises = most_raises
        self._raises = 0  # bets and raises in this round
        self._decisions = 0  # in this round

    @property
    def to_call(self) -> int:
        """What the actor has to add to stay in."""
        return max(self.paid) - self.paid[self.actor]

    @property
    def pot(self) -> int:
        """All chips put in."""
        return sum(self.paid)

    def kinds(self) -> list[Kind]:
        """Return what the actor may do, nothing when the betting is over."""
        if self.is_over:
            return []
        kinds: list[Kind] = ["FOLD", "CALL"] if self.to_call else ["CHECK"]
        if self._raises < self._most_raises and self._can_raise():
            kinds.append("RAISE" if self.to_call else "BET")
        return kinds

    def act(self, kind: Kind) -> int:
        """Let the actor do one of `kinds` and return what it paid."""
        actor = self.actor
        if kind == "FOLD":
            self.folded = actor
            self.is_over = True
            return 0
        paid = self.to_call
        is_raise = kind in {"BET", "RAISE"}
        if is_raise:
            paid += self._sizes[self.betting_round]
            self._raises += 1
        self.stacks[actor] -= paid
        self.paid[actor] += paid
        self._decisions += 1
        if is_raise or (kind == "CHECK" and self._decisions == 1):
            self.actor = 1 - actor
        else:
            self._end_round()
        return paid

    def _can_raise(self) -> bool:
        price = max(self.paid) + self._sizes[self.betting_round]
        return all(
            stack + paid >= price for stack, paid in zip(self.stacks, self.paid, strict=True)
        )

    def _end_round(self) -> None:
        if self.betting_round + 1 == len(self._sizes):
            self.is_over = True
            return
        self.betting_round += 1
        self.actor = self._raises = self._decisions = 0
