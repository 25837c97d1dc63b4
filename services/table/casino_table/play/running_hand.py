"""One running hand: its deal, game state, questions and events.

It is a function of the table's state, a seed or a block of hands, and the decisions so far. A
journal with these three restores it to the same decision.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from casino_agentkit.fair_deal import DeckPlan
from casino_contracts import HOLDEM, CardProof
from casino_games import ArenaConfig, ArenaPlayer, Game, game_class
from casino_games.dealt import DealtGame
from casino_games.holdem import HoldemGame
from casino_games.holdem.events import ROUNDS
from casino_games.hosting.checked_game import hosted_game, is_own
from casino_play.holdem_question import HoldemQuestion
from casino_play.turn import Decision, Question

from casino_table.domain.seat import HandPositions, Seat, SeatRole, roles_in, settings_in
from casino_table.domain.table import Table
from casino_table.journal.journal import EventDraft
from casino_table.play.deal_block import BlockHand
from casino_table.play.game_presenter import Disclosed, GamePresenter, disclosed_of
from casino_table.play.holdem_presenter import HoldemPresenter
from casino_table.time_limit import TimeLimit

MOST_DECISIONS = 10_000
"""A game that goes on for longer has a fault."""
_LIMIT = TimeLimit()


class Presenter(Protocol):
    """Questions and events of one hand, in the format of its game."""

    hand_id: str

    @property
    def spec_version(self) -> str: ...

    def question(self, seat: Seat, ahead: int) -> Question[Any]:
        """Return a player's question; `ahead` questions to others are open at the same time."""
        ...

    def started(self) -> list[EventDraft]: ...

    def acted(
        self, player_id: str, decision: Decision, events: Sequence[dict[str, Any]]
    ) -> list[EventDraft]: ...

    def completed(self, disclosed: Disclosed, pause_ms: int) -> EventDraft: ...


class RunningHand:
    """A hand from its deal to its settlement."""

    def __init__(self, table: Table, deal: HandPositions, dealt_from: str | BlockHand) -> None:
        """Deal it from a seed, or as a hand of a block; both are private."""
        self.deal = deal
        self._of_block = dealt_from if isinstance(dealt_from, BlockHand) else None
        self.game = _new_game(table, deal, dealt_from)
        """Holds every card: never published as a whole."""
        self._table = table
        self._seats = {seat.player_id: seat for seat in deal.seats}
        self.deciders: list[str] = []
        """The player id of each decision so far, in order."""
        self.decisions: list[Decision] = []
        """The decisions so far, in order."""
        self.pause_ms = 0
        """How long the next hand waits, once this one is settled: people see its result."""
        self._presenter: Presenter = (
            HoldemPresenter(table, deal, self.game)
            if table.game_type == HOLDEM and isinstance(self.game, HoldemGame)
            else GamePresenter(table, deal, self.game)
        )

    @property
    def id(self) -> str:
        return self._presenter.hand_id

    @property
    def spec_version(self) -> str:
        return self._presenter.spec_version

    @property
    def is_over(self) -> bool:
        return self.game.is_over()

    def _pause_ms(self) -> int:
        seats = self._table.seats.values()
        has_people = "human" in [seat.player_type for seat in seats if not seat.sits_out]
        pause_ms = self._table.config.result_pause_ms
        if not isinstance(self.game, HoldemGame):
            return pause_ms(has_people=has_people)
        hand = self.game.hand
        decided = hand.actions[-1][1] if hand.actions else 0  # the street
        is_shown, is_open = bool(hand.shown), decided < len(ROUNDS) - 1
        return pause_ms(has_people=has_people, is_shown=is_shown, runs_out=is_shown and is_open)

    @property
    def pending(self) -> list[Seat]:
        """The seats that decide now: one seat, or all seats of a simultaneous decision."""
        return [self._seats[player_id] for player_id in self.game.get_pending_players()]

    @property
    def next_seat(self) -> Seat:
        """The seat whose decision is applied next."""
        return self._seats[self.game.get_current_player()]

    def started(self) -> list[EventDraft]:
        return self._presenter.started()

    def question(self, seat: Seat, ahead: int = 0) -> Question[Any]:
        question = self._presenter.question(seat, ahead)
        if (
            self._of_block is not None
            and isinstance(question, HoldemQuestion)
            and seat.player_id not in self.deciders
        ):
            question.proof = self.proof_of(seat)
        return question

    def proof_of(self, seat: Seat) -> CardProof | None:
        """Return that the table committed to a contributor's own cards; None for all others."""
        hand = self._of_block
        if hand is None or seat.player_id not in hand.contributors or not hand.leaves:
            return None
        return hand.proof(_from_first(self.deal).index(seat))

    def act(self, decision: Decision) -> list[EventDraft]:
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
        disclosed = disclosed_of(self.deciders, self.decisions, self._seats)
        self.pause_ms = self._pause_ms()
        completed = self._presenter.completed(disclosed, self.pause_ms)
        if (hand := self._of_block) is None:
            return [completed]
        opened = self.game.opened_leaves(hand.leaves) if isinstance(self.game, DealtGame) else ()
        opening = {"opening": hand.opening(opened)}
        return [completed._replace(payload=completed.payload.model_copy(update=opening))]


def count_decision(table: Table, seat: Seat, decision: Decision) -> bool:
    """Count a missed or valid answer and its time; returns whether the seat sits out from now on.

    A turn of a seat that sits out was not missed: nothing was asked. The lobby notes the fault from
    the event of the decision, by its outcome (`FaultBook` in its domain).
    """
    if decision.outcome == "sitting_out":
        return False
    seat.use_time_bank(decision.latency_ms or 0, table.config)
    if decision.is_own:
        seat.answered()
        return False
    return seat.failed(table.config.max_timeouts, is_away=decision.outcome == "away")


def deck_plan(table: Table, seats: int) -> DeckPlan:
    """Return of what the decks of a hand are made; none for a game of others."""
    rules = game_class(table.game_type)
    if not issubclass(rules, DealtGame) or not is_own(rules):
        return DeckPlan(0, ())
    return DeckPlan(*rules.deck_plan(settings_in(table.game_type, table.game_config), seats))


def _from_first(deal: HandPositions) -> Sequence[Seat]:
    """Return the seats in the order in which they are dealt to: the button comes last."""
    first = deal.button + 1
    return (*deal.seats[first:], *deal.seats[:first])


def _new_game(table: Table, deal: HandPositions, dealt_from: str | BlockHand) -> Game:
    seats, settings = deal.seats, settings_in(table.game_type, table.game_config)
    if table.game_type == HOLDEM:
        stakes = table.stakes
        settings |= {
            "small_blind": stakes.small_blind if deal.has_small_blind else 0,
            "big_blind": stakes.big_blind,
            "ante": stakes.ante,
            "button": deal.button,
        }
    else:  # in other games the button acts last
        seats = tuple(_from_first(deal))
    if table.plays_for_chips:
        settings["stacks"] = [seat.stack for seat in seats]
    roles = roles_in(table.game_type, table.game_config)
    players = tuple(_player(seat, roles) for seat in seats)
    seed = dealt_from.seed if isinstance(dealt_from, BlockHand) else dealt_from
    config = ArenaConfig(players, seed, settings, table.game_type, MOST_DECISIONS)
    game = hosted_game(table.game_type, config, _LIMIT)
    if isinstance(dealt_from, BlockHand) and isinstance(game, DealtGame):
        game.deal(*dealt_from.dealt())
    else:
        game.reset(seed)
    return game


def _player(seat: Seat, roles: Sequence[SeatRole]) -> ArenaPlayer:
    role = roles[seat.number] if seat.number < len(roles) else SeatRole()
    return role.player(seat.player_id)
