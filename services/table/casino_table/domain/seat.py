"""A seat: its player, stack, and missed decisions."""

from dataclasses import dataclass, field

from casino_contracts import PlayerType, TableConfig
from casino_play.player_decision import AgentSeat


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
    is_away: bool = False
    """Whether the seat sits out because its program said that nobody is there."""
    is_leaving: bool = False
    """Whether the seat is freed after the running hand."""
    plays_any_game: bool = False
    """Whether questions use the format of game specifications, in Hold'em too."""
    token: str | None = field(default=None, repr=False)
    """The token that authenticates this table to the player's agent."""
    stack_before: int = 0
    """The stack before the last hand; of players busted together the larger finishes higher."""
    clock_ms: int | None = None
    """The time for a decision that was granted at the signup; None: the config's."""
    time_bank_used_ms: int = 0
    """How much of the session's time bank is used."""
    player_type: PlayerType | None = None
    """Who decides for the player, as it said itself; None: unknown."""

    def answered(self) -> None:
        """Reset the count of missed decisions."""
        self.failures = 0

    def failed(self, max_failures: int, *, is_away: bool = False) -> bool:
        """Count a missed decision; returns whether the seat sits out from now on."""
        self.failures += 1
        if self.sits_out or self.failures < max_failures:
            return False
        self.sits_out, self.is_away = True, is_away
        self.rounds_to_wait = 0 if is_away else 2**self.returns
        return True

    def came_back(self, max_failures: int) -> None:
        """Stop sitting out; the next missed decision in a row starts it again.

        Only returns of an agent that failed make it wait longer: an absent one held nobody up.
        """
        self.returns += not self.is_away
        self.sits_out = self.is_away = False
        self.failures = max_failures - 1

    def use_time_bank(self, latency_ms: int, config: TableConfig) -> None:
        """Charge a decision that took longer than the seat's clock to its time bank."""
        over_ms = latency_ms - self.clock_in(config)
        if over_ms > 0 and config.time_bank_ms:
            self.time_bank_used_ms = min(self.time_bank_used_ms + over_ms, config.time_bank_ms)

    def clock_in(self, config: TableConfig) -> int:
        """Return the seat's time for a decision, in ms."""
        return self.clock_ms or config.action_timeout_ms

    def agent_seat(self, config: TableConfig) -> AgentSeat:
        """Return what it takes to ask its agent now."""
        return AgentSeat(
            self.card_url,
            self.action_skill,
            self.clock_in(config),
            self.token,
            self.time_bank_in(config),
        )

    def time_bank_in(self, config: TableConfig) -> int | None:
        """Return what is left of the time bank, in ms; None if the table has none."""
        time_bank_ms = config.time_bank_ms
        return max(0, time_bank_ms - self.time_bank_used_ms) if time_bank_ms else None
