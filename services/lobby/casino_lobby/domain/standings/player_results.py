"""Results of one player of a room: chips, completed hands, decisions in them. Pure."""

from dataclasses import dataclass, field

from casino_contracts import Outcome, PlayerType
from casino_contracts.play_counts import PlayCounts
from casino_contracts.play_statistics import LatencySketch, WinRate

from casino_lobby.domain.standings.amounts import Chips, bounded, exact
from casino_lobby.domain.standings.losses import Losses


@dataclass
class PlayerResults:
    """What a player has bought, has, and did in the completed hands.

    `stack` is that after the last completed hand or buy-in; a player who left keeps the last one.
    So `stack - bought` is the net result at any time.
    """

    name: str
    player_type: PlayerType | None = None
    bought: Chips = 0
    """Chips bought, less those cashed out."""
    stack: Chips = 0
    is_seated: bool = True
    rate: WinRate = field(default_factory=WinRate)
    """In big blinds of each hand, or in chips."""
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    play: PlayCounts = field(default_factory=PlayCounts)
    latency: LatencySketch = field(default_factory=LatencySketch)
    losses: Losses = field(default_factory=Losses)

    @property
    def net(self) -> Chips:
        """Chips won (positive) or lost."""
        return exact(self.stack - self.bought)

    def sit_down(self, stack: Chips) -> None:
        """Take a seat with these chips; those with which the player left before are cashed out."""
        self.bought = exact(self.bought + stack - self.stack)
        self.stack, self.is_seated = stack, True

    def buy(self, amount: Chips) -> None:
        """Buy chips or, negative, cash them out."""
        self.bought = exact(self.bought + amount)
        self.stack = exact(max(0, self.stack + amount))

    def leave(self, stack: Chips | None = None) -> None:
        """Free the seat; without `stack` the player leaves with the last known one."""
        self.stack = self.stack if stack is None else stack
        self.is_seated = False

    def complete_hand(self, stack: Chips, before: Chips, big_blind: Chips) -> None:
        """Count a hand that was begun with `before` chips and ended with `stack`."""
        self.stack = stack
        result = exact(stack - before) / big_blind
        self.rate.add(bounded(result))  # finite at any big blind
