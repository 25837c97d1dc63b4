"""A seat: who sits there, with how many chips, and whether he answers."""

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
    """Waits until the big blind reaches it."""
    failures: int = 0
    """Failures to answer, in a row."""
    sits_out: bool = False
    returns: int = 0
    """How often it has come back from sitting out; each makes the next wait twice as long."""
    rounds_to_wait: int = 0
    is_leaving: bool = False
    """Goes when the running hand is over."""
    plays_any_game: bool = False
    """Asked in the words of the game's specification, in Hold'em too."""
    token: str | None = field(default=None, repr=False)
    """What shows the player's agent that it is this table that asks."""
    stack_before: int = 0
    """The stack at the start of the last hand: who had more finishes higher."""

    def answered(self) -> None:
        """Note an answer of the player's own."""
        self.failures = 0

    def failed(self, max_failures: int) -> bool:
        """Note a failure to answer; tells whether the seat sits out from now on."""
        self.failures += 1
        if self.sits_out or self.failures < max_failures:
            return False
        self.sits_out = True
        self.rounds_to_wait = 2**self.returns
        return True

    def came_back(self, max_failures: int) -> None:
        """Return to the game: the next failure in a row sits it out again."""
        self.sits_out = False
        self.returns += 1
        self.failures = max_failures - 1
