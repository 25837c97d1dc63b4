"""Betting between two players with fixed sizes.

Both pay an ante. In each betting round the first player begins; bets and raises have a fixed size
per round and a maximum number. A call, or a check after a check, ends a round. A bet or raise is
offered only if both players can pay it in full, so nobody is ever all-in.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["CHECK", "BET", "CALL", "RAISE", "FOLD"]


class FixedLimit:
    """The chips of one hand and the player to act; changed only by `act`."""

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
        """Post the antes; `sizes` has the size of a bet for each round."""
        self.stacks = [stack - ante for stack in stacks]
        """Remaining chips by player."""
        self.paid = [ante, ante]
        """Chips put in by each player."""
        self.actor = 0
        self.betting_round = 0
        self.folded: int | None = None
        """The player that folded."""
        self.is_over = False
        self._sizes = sizes
        self._most_raises = most_raises
        self._raises = 0  # bets and raises in this round
        self._decisions = 0  # in this round

    @property
    def to_call(self) -> int:
        """Chips that the actor has to add to call."""
        return max(self.paid) - self.paid[self.actor]

    @property
    def pot(self) -> int:
        """All chips put in."""
        return sum(self.paid)

    def kinds(self) -> list[Kind]:
        """Return the legal actions of the actor, none when the betting is over."""
        if self.is_over:
            return []
        kinds: list[Kind] = ["FOLD", "CALL"] if self.to_call else ["CHECK"]
        if self._raises < self._most_raises and self._can_raise():
            kinds.append("RAISE" if self.to_call else "BET")
        return kinds

    def act(self, kind: Kind) -> int:
        """Apply one of `kinds` for the actor and return the chips paid."""
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
