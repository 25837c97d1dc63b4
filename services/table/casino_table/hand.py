"""One hand under way at the table: who is dealt in, the game, and how it is told.

It follows from the table's state, a seed and the decisions so far; so a journal that holds these
three brings it back to the same decision.
"""

from typing import Any

from casino_contracts import Outcome
from casino_games import ArenaConfig, ArenaPlayer, Game, create_game

from casino_table.deal import Deal
from casino_table.journal import Fact
from casino_table.presenter import HandPresenter
from casino_table.question import HoldemQuestion
from casino_table.seat import Seat
from casino_table.table import Table
from casino_table.turn import Action, Decision


class RunningHand:
    """A hand from its deal to its settlement."""

    def __init__(self, table: Table, deal: Deal, seed: str) -> None:
        self.deal = deal
        self.game = _new_game(table, deal, seed)
        """It holds every card."""
        self._table = table
        self._presenter = HandPresenter(table, deal, self.game)

    @property
    def id(self) -> str:
        """What the hand is called on the wire."""
        return self._presenter.hand_id

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to decide."""
        return self.game.is_over()

    @property
    def seat(self) -> Seat:
        """Whose turn it is."""
        return self.deal.seat_of(self.game.get_current_player())

    def started(self) -> list[Fact]:
        """Return how the hand begins."""
        return self._presenter.started()

    def question(self) -> HoldemQuestion:
        """Return what the current player is asked."""
        return self._presenter.question()

    def act(self, decision: Decision) -> list[Fact]:
        """Carry out a decision; returns what is told of it."""
        result, _ = self.game.step(decision.action)
        return self._presenter.acted(decision, result["events"])

    def replay(self, action: Action, outcome: Outcome) -> None:
        """Carry out a decision that was made, and told, before a restart."""
        seat = self.seat
        self._presenter.pass_question()
        decision = Decision(action, outcome)
        self.act(decision)
        judge(self._table, seat, decision)

    def secrets(self) -> dict[str, dict[str, Any]]:
        """Return what only each player may know, in the order of the seats."""
        return {
            seat.player_id: self.game.get_private_state(seat.player_id) for seat in self.deal.seats
        }

    def settle(self) -> list[Fact]:
        """Pay out; returns how the hand ends. Raises ChipsNotConserved."""
        self._table.settle(self.deal, self.game.get_scores())
        return [self._presenter.completed()]


def judge(table: Table, seat: Seat, decision: Decision) -> bool:
    """Count a failure to answer; tells whether the seat sits out from now on."""
    if decision.is_own:
        seat.answered()
        return False
    return seat.failed(table.config.max_timeouts)


def _new_game(table: Table, deal: Deal, seed: str) -> Game:
    stakes = table.stakes
    settings = {
        **table.game_config,
        "small_blind": stakes.small_blind,
        "big_blind": stakes.big_blind,
        "ante": stakes.ante,
        "stacks": [seat.stack for seat in deal.seats],
        "button": deal.button,
    }
    players = tuple(ArenaPlayer(seat.player_id) for seat in deal.seats)
    game = create_game(table.game_type, ArenaConfig(players, game_config=settings))
    game.reset(seed)
    return game
