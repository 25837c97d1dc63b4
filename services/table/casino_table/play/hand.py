"""One hand under way at the table: who is dealt in, the game, and how it is told.

It follows from the table's state, a seed and the decisions so far; so a journal that holds these
three brings it back to the same decision.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from casino_contracts import HOLDEM, Outcome
from casino_games import ArenaConfig, ArenaPlayer, Game, create_game

from casino_table.decisions.turn import Action, Decision, Question
from casino_table.domain.positions import HandPositions
from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.journal.journal import TableFact
from casino_table.presenters.generic import GamePresenter
from casino_table.presenters.holdem import HoldemPresenter


class Presenter(Protocol):
    """How a hand is asked about and told, in the words of its game."""

    hand_id: str

    def question(self, seat: Seat, ahead: int) -> Question[Any]:
        """Return what a player is asked, while `ahead` others before it are asked as well."""
        ...

    def started(self) -> list[TableFact]:
        """Return how the hand begins."""
        ...

    def acted(
        self, player_id: str, decision: Decision, events: Sequence[dict[str, Any]]
    ) -> list[TableFact]:
        """Return what is told of a decision."""
        ...

    def completed(self) -> TableFact:
        """Return how the hand ends."""
        ...


class RunningHand:
    """A hand from its deal to its settlement."""

    def __init__(self, table: Table, deal: HandPositions, seed: str) -> None:
        self.deal = deal
        self.game = _new_game(table, deal, seed)
        """It holds every card."""
        self._table = table
        self.deciders: list[str] = []
        """Who decided so far, decision by decision."""
        self._presenter: Presenter = (
            HoldemPresenter(table, deal, self.game)
            if table.game_type == HOLDEM
            else GamePresenter(table, deal, self.game)
        )

    @property
    def id(self) -> str:
        """What the hand is called on the wire."""
        return self._presenter.hand_id

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to decide."""
        return self.game.is_over()

    @property
    def pending(self) -> list[Seat]:
        """Whose decision is asked for now: one seat's, or those of a whole window at once."""
        return [self.deal.seat_of(player_id) for player_id in self.game.get_pending_players()]

    def started(self) -> list[TableFact]:
        """Return how the hand begins."""
        return self._presenter.started()

    def question(self, seat: Seat, ahead: int = 0) -> Question[Any]:
        """Return what a pending player is asked; `ahead` of it others are asked at once."""
        return self._presenter.question(seat, ahead)

    def act(self, decision: Decision) -> list[TableFact]:
        """Carry out the current player's decision; returns what is told of it."""
        player_id = self.game.get_current_player()
        self.deciders.append(player_id)
        result, _ = self.game.step(decision.action)
        return self._presenter.acted(player_id, decision, result["events"])

    def replay(self, action: Action, outcome: Outcome) -> None:
        """Carry out a decision that was made, and told, before a restart."""
        seat = self.deal.seat_of(self.game.get_current_player())
        decision = Decision(action, outcome)
        self.act(decision)
        count_missed_decision(self._table, seat, decision)

    def secrets(self) -> dict[str, dict[str, Any]]:
        """Return what only each player may know, in the order of the seats."""
        return {
            seat.player_id: self.game.get_private_state(seat.player_id) for seat in self.deal.seats
        }

    def settle(self) -> list[TableFact]:
        """Pay out; returns how the hand ends. Raises ChipsNotConserved."""
        self._table.settle(self.deal, self.game.get_scores())
        return [self._presenter.completed()]


def count_missed_decision(table: Table, seat: Seat, decision: Decision) -> bool:
    """Count a failure to answer; tells whether the seat sits out from now on."""
    if decision.is_own:
        seat.answered()
        return False
    return seat.failed(table.config.max_timeouts)


def _new_game(table: Table, deal: HandPositions, seed: str) -> Game:
    seats, settings = deal.seats, {**table.game_config}
    if table.game_type == HOLDEM:
        stakes = table.stakes
        settings |= {
            "small_blind": stakes.small_blind,
            "big_blind": stakes.big_blind,
            "ante": stakes.ante,
            "button": deal.button,
        }
    else:  # the button is the last to act
        first = (deal.button + 1) % len(seats)
        seats = (*seats[first:], *seats[:first])
    settings["stacks"] = [seat.stack for seat in seats]
    players = tuple(ArenaPlayer(seat.player_id) for seat in seats)
    game = create_game(table.game_type, ArenaConfig(players, game_config=settings))
    game.reset(seed)
    return game
