"""One running hand: its deal, game state, questions and events.

It is a function of the table's state, a seed and the decisions so far. A journal with these three
restores it to the same decision.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from casino_contracts import HOLDEM
from casino_games import ArenaConfig, ArenaPlayer, Game
from casino_games.holdem import HoldemGame
from casino_games.hosting.checked_game import hosted_game
from casino_play.player_decision import Decision, Question

from casino_table.domain.seat import HandPositions, Seat, SeatRole, roles_in, settings_in
from casino_table.domain.table import Table
from casino_table.journal.journal import EventDraft
from casino_table.play.game_presenter import GamePresenter
from casino_table.play.holdem_presenter import HoldemPresenter
from casino_table.time_limit import TimeLimit

MOST_DECISIONS = 10_000
"""A game that goes on for longer has a fault."""
_LIMIT = TimeLimit()


class Presenter(Protocol):
    """Questions and events of one hand, in the format of its game."""

    hand_id: str

    @property
    def spec_version(self) -> str:
        """The version of the game's specification."""
        ...

    def question(self, seat: Seat, ahead: int) -> Question[Any]:
        """Return a player's question; `ahead` questions to others are open at the same time."""
        ...

    def started(self) -> list[EventDraft]:
        """Return the events of the start of the hand."""
        ...

    def acted(
        self, player_id: str, decision: Decision, events: Sequence[dict[str, Any]]
    ) -> list[EventDraft]:
        """Return the events of a decision."""
        ...

    def completed(self) -> EventDraft:
        """Return the event of the end of the hand."""
        ...


class RunningHand:
    """A hand from its deal to its settlement."""

    def __init__(self, table: Table, deal: HandPositions, seed: str) -> None:
        self.deal = deal
        self.game = _new_game(table, deal, seed)
        """Holds every card: never published as a whole."""
        self._table = table
        self._seats = {seat.player_id: seat for seat in deal.seats}
        self.deciders: list[str] = []
        """The player id of each decision so far, in order."""
        self.decisions: list[Decision] = []
        """The decisions so far, in order."""
        self._presenter: Presenter = (
            HoldemPresenter(table, deal, self.game)
            if table.game_type == HOLDEM and isinstance(self.game, HoldemGame)
            else GamePresenter(table, deal, self.game)
        )

    @property
    def id(self) -> str:
        """The hand id on the wire."""
        return self._presenter.hand_id

    @property
    def spec_version(self) -> str:
        """The version of the game's specification."""
        return self._presenter.spec_version

    @property
    def is_over(self) -> bool:
        """Whether no decision is left."""
        return self.game.is_over()

    @property
    def pending(self) -> list[Seat]:
        """The seats that decide now: one seat, or all seats of a simultaneous decision."""
        return [self._seats[player_id] for player_id in self.game.get_pending_players()]

    @property
    def next_seat(self) -> Seat:
        """The seat whose decision is applied next."""
        return self._seats[self.game.get_current_player()]

    def started(self) -> list[EventDraft]:
        """Return the events of the start of the hand."""
        return self._presenter.started()

    def question(self, seat: Seat, ahead: int = 0) -> Question[Any]:
        """Return a pending player's question; see `Presenter.question`."""
        return self._presenter.question(seat, ahead)

    def act(self, decision: Decision) -> list[EventDraft]:
        """Apply the current player's decision; returns its events."""
        player_id = self.game.get_current_player()
        self.deciders.append(player_id)
        self.decisions.append(decision)
        result, _ = self.game.step(decision.action)
        return self._presenter.acted(player_id, decision, result.get("events", ()))

    def rounds(self) -> list[str | None]:
        """Return the betting round of each decision so far; None in games other than Hold'em."""
        if self.game.game_type != HOLDEM:
            return [None] * len(self.deciders)
        return [past["betting_round"] for past in self.game.get_public_state()["history"]]

    def secrets(self) -> dict[str, dict[str, Any]]:
        """Return the private state of each player, in the order of the seats."""
        return {
            seat.player_id: self.game.get_private_state(seat.player_id) for seat in self.deal.seats
        }

    def settle(self) -> list[EventDraft]:
        """Pay out chips, not points; returns the event of the end. Raises ChipsNotConserved."""
        scores = self.game.get_scores()
        won = scores if self._table.plays_for_chips else dict.fromkeys(scores, 0)
        self._table.settle(self.deal, won)
        return [self._presenter.completed()]


def count_decision(table: Table, seat: Seat, decision: Decision) -> bool:
    """Count a missed or valid answer and its time; returns whether the seat sits out from now on.

    A turn of a seat that sits out was not missed: nothing was asked.
    """
    if decision.outcome == "sitting_out":
        return False
    seat.use_time_bank(decision.latency_ms or 0, table.config)
    if decision.is_own:
        seat.answered()
        return False
    return seat.failed(table.config.max_timeouts, is_away=decision.outcome == "away")


def _new_game(table: Table, deal: HandPositions, seed: str) -> Game:
    seats, settings = deal.seats, settings_in(table.game_type, table.game_config)
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
    if table.plays_for_chips:
        settings["stacks"] = [seat.stack for seat in seats]
    roles = roles_in(table.game_type, table.game_config)
    players = tuple(_player(seat, roles) for seat in seats)
    config = ArenaConfig(players, seed, settings, table.game_type, MOST_DECISIONS)
    game = hosted_game(table.game_type, config, _LIMIT)
    game.reset(seed)
    return game


def _player(seat: Seat, roles: Sequence[SeatRole]) -> ArenaPlayer:
    role = roles[seat.number] if seat.number < len(roles) else SeatRole()
    return role.player(seat.player_id)
