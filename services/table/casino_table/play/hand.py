"""One running hand: its deal, game state, questions and events.

It is a function of the table's state, a seed and the decisions so far. A journal with these three
restores it to the same decision.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from casino_contracts import HOLDEM
from casino_games import ArenaConfig, ArenaPlayer, Game, create_game

from casino_table.decisions.turn import Decision, Question
from casino_table.domain.positions import HandPositions
from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.journal.journal import TableFact
from casino_table.presenters.generic import GamePresenter
from casino_table.presenters.holdem import HoldemPresenter


class Presenter(Protocol):
    """Questions and events of one hand, in the format of its game."""

    hand_id: str

    def question(self, seat: Seat, ahead: int) -> Question[Any]:
        """Return a player's question; `ahead` questions to others are open at the same time."""
        ...

    def started(self) -> list[TableFact]:
        """Return the facts of the start of the hand."""
        ...

    def acted(
        self, player_id: str, decision: Decision, events: Sequence[dict[str, Any]]
    ) -> list[TableFact]:
        """Return the facts of a decision."""
        ...

    def completed(self) -> TableFact:
        """Return the fact of the end of the hand."""
        ...


class RunningHand:
    """A hand from its deal to its settlement."""

    def __init__(self, table: Table, deal: HandPositions, seed: str) -> None:
        self.deal = deal
        self.game = _new_game(table, deal, seed)
        """Holds every card: never published as a whole."""
        self._table = table
        self.deciders: list[str] = []
        """The player id of each decision so far, in order."""
        self._presenter: Presenter = (
            HoldemPresenter(table, deal, self.game)
            if table.game_type == HOLDEM
            else GamePresenter(table, deal, self.game)
        )

    @property
    def id(self) -> str:
        """The hand id on the wire."""
        return self._presenter.hand_id

    @property
    def is_over(self) -> bool:
        """Whether no decision is left."""
        return self.game.is_over()

    @property
    def pending(self) -> list[Seat]:
        """The seats that decide now: one seat, or all seats of a simultaneous decision."""
        return [self.deal.seat_of(player_id) for player_id in self.game.get_pending_players()]

    @property
    def next_seat(self) -> Seat:
        """The seat whose decision is applied next."""
        return self.deal.seat_of(self.game.get_current_player())

    def started(self) -> list[TableFact]:
        """Return the facts of the start of the hand."""
        return self._presenter.started()

    def question(self, seat: Seat, ahead: int = 0) -> Question[Any]:
        """Return a pending player's question; see `Presenter.question`."""
        return self._presenter.question(seat, ahead)

    def act(self, decision: Decision) -> list[TableFact]:
        """Apply the current player's decision; returns its facts."""
        player_id = self.game.get_current_player()
        self.deciders.append(player_id)
        result, _ = self.game.step(decision.action)
        return self._presenter.acted(player_id, decision, result["events"])

    def secrets(self) -> dict[str, dict[str, Any]]:
        """Return the private state of each player, in the order of the seats."""
        return {
            seat.player_id: self.game.get_private_state(seat.player_id) for seat in self.deal.seats
        }

    def settle(self) -> list[TableFact]:
        """Pay out; returns the fact of the end. Raises ChipsNotConserved."""
        self._table.settle(self.deal, self.game.get_scores())
        return [self._presenter.completed()]


def count_missed_decision(table: Table, seat: Seat, decision: Decision) -> bool:
    """Count a missed or valid answer; returns whether the seat sits out from now on."""
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
    else:  # in other games the button acts last
        first = (deal.button + 1) % len(seats)
        seats = (*seats[first:], *seats[:first])
    settings["stacks"] = [seat.stack for seat in seats]
    players = tuple(ArenaPlayer(seat.player_id) for seat in seats)
    game = create_game(table.game_type, ArenaConfig(players, game_config=settings))
    game.reset(seed)
    return game
