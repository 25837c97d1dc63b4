"""A seat: its player, stack, and missed decisions."""

from dataclasses import dataclass, field


@dataclass
class Seat:
    """One player at the table; `stack` is in chips."""

    number: int
    player_id: str
    display_name: str
    card_url: str
    action_skill: str
    stack: int
    is_new: bool = True
    """Not dealt in yet: waits for the big blind."""
    failures: int = 0
    """Consecutive missed decisions."""
    sits_out: bool = False
    returns: int = 0
    """How often the seat came back from sitting out; each return doubles the next wait."""
    rounds_to_wait: int = 0
    """Polls until the next probe of a seat that sits out."""
    is_leaving: bool = False
    """Whether the seat is freed after the running hand."""
    plays_any_game: bool = False
    """Whether questions use the format of game specifications, in Hold'em too."""
    token: str | None = field(default=None, repr=False)
    """The token that authenticates this table to the player's agent."""
    stack_before: int = 0
    """The stack before the last hand; of players busted together the larger finishes higher."""

    def answered(self) -> None:
        """Reset the count of missed decisions."""
        self.failures = 0

    def failed(self, max_failures: int) -> bool:
        """Count a missed decision; returns whether the seat sits out from now on."""
        self.failures += 1
        if self.sits_out or self.failures < max_failures:
            return False
        self.sits_out = True
        self.rounds_to_wait = 2**self.returns
        return True

    def came_back(self, max_failures: int) -> None:
        """Stop sitting out; the next missed decision in a row starts it again."""
        self.sits_out = False
        self.returns += 1
        self.failures = max_failures - 1
