"""The hands in which a player lost most. Pure."""

from bisect import insort
from dataclasses import dataclass, field

LOSSES_KEPT = 20
"""Maximum number of hands of a player."""


@dataclass
class Losses:
    """The hands with the greatest losses: net, epoch and number, the greatest loss first."""

    hands: list[tuple[int | float, int, int]] = field(default_factory=list)

    def note(self, net: float, epoch: int, number: int | None) -> None:
        """Keep a hand if it is among the greatest losses; of equal ones the earlier is kept."""
        if net < 0 and number is not None:
            insort(self.hands, (net, epoch, number))
            del self.hands[LOSSES_KEPT:]
