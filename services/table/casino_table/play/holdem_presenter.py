"""One hand of Hold'em: questions to its players, in the agent's format, and public events."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from casino_contracts import (
    HOLDEM,
    ActionKind,
    ActionTakenPayload,
    AwardedPot,
    Defaulted,
    ForcedBet,
    HandCompletedPayload,
    HandStartedPayload,
    PotShare,
    ShownHand,
    StackAfter,
    StatusPayload,
)
from casino_contracts.fast_struct import struct_of
from casino_games import specification
from casino_games.holdem import Hand, HoldemGame
from casino_games.holdem.events import ROUNDS
from casino_play.generic_question import GameMoment, GameQuestion
from casino_play.hand_questions import HandNames, HandQuestions, NamedPlayer, wire_cards
from casino_play.holdem_question import HoldemQuestion
from casino_play.turn import Decision

from casino_table.domain.seat import HandPositions, Seat
from casino_table.domain.table import Table
from casino_table.journal.journal import EventDraft
from casino_table.play.game_presenter import Disclosed, public_default

_ACTION_TAKEN: Final[Callable[..., ActionTakenPayload]] = struct_of(
    ActionTakenPayload, defaulted=Defaulted | None
)


class HoldemPresenter:
    """Presents what happens in the hand of `game`, which is played elsewhere."""

    def __init__(self, table: Table, deal: HandPositions, game: HoldemGame) -> None:
        self.hand_id = f"{table.table_id}/{deal.number}"
        self._table = table
        self._deal = deal
        self._game = game
        self._unit = table.unit
        self._seats = {seat.player_id: seat for seat in deal.seats}
        self._questions = _questions(table, deal, game.hand, self.hand_id)
        self._pots: list[AwardedPot] = []
        self._won: Counter[str] = Counter()
        self._shown: tuple[ShownHand, ...] = ()
        self._returned: PotShare | None = None

    # Questions.

    def question(self, seat: Seat, ahead: int = 0) -> HoldemQuestion | GameQuestion:
        """Return the question in the agent's format; its id is the same after a restart."""
        del ahead  # players of Hold'em decide one after another
        if seat.plays_any_game:
            return GameQuestion(self._moment, self._game, seat.player_id)
        return HoldemQuestion(self._questions)

    @property
    def spec_version(self) -> str:
        return specification(HOLDEM).version

    @property
    def _moment(self) -> GameMoment:
        number, question_id = self._deal.number, self._questions.question_id
        return GameMoment(
            self._table.table_id, self.hand_id, number, question_id, self.spec_version
        )

    # Events.

    def started(self) -> list[EventDraft]:
        """Return `hand_started`, and the events of a hand that the forced bets already decide."""
        events = self._game.opening_events()
        table, amount = self._table, self._unit.amount
        started = EventDraft(
            "hand_started",
            f"hand {self._deal.number} begins",
            HandStartedPayload(
                hand_number=self._deal.number,
                button_seat=self._deal.button_seat,
                small_blind=amount(table.stakes.small_blind),
                big_blind=amount(table.stakes.big_blind),
                ante=amount(table.stakes.ante),
                posted=tuple(
                    ForcedBet(
                        player_id=event["player_id"],
                        kind=event["kind"].replace("_", "-"),
                        amount=amount(event["amount"]),
                    )
                    for event in events
                    if event["event"] == "forced_bet"
                ),
                players=tuple(table.player_seat(seat) for seat in self._deal.seats),
            ),
            self.hand_id,
        )
        return [started, *self._drafts_of(events)]

    def acted(
        self, player_id: str, decision: Decision, events: Sequence[dict[str, Any]]
    ) -> list[EventDraft]:
        """Return the events of one decision: the action, and the events that follow from it."""
        _, street, kind, chips, _, stack, pot = self._game.hand.actions[-1]
        amount = self._unit.amount
        total = None if chips is None else amount(chips)
        payload = _ACTION_TAKEN(
            hand_number=self._deal.number,
            player_id=player_id,
            betting_round=ROUNDS[street],
            action=kind,
            amount=total,
            pot=amount(pot),
            stack=amount(stack),
            outcome=decision.outcome,
            defaulted=public_default(decision),
            latency_ms=decision.latency_ms,
            message=decision.message,
            reason=decision.reason,
        )
        message = self._sentence(self._seats[player_id], kind, total, decision)
        taken = EventDraft("action_taken", message, payload, self.hand_id)
        return [taken, *self._drafts_of(events[1:])] if len(events) > 1 else [taken]

    def _sentence(
        self, seat: Seat, kind: ActionKind, total: float | None, decision: Decision
    ) -> str:
        verb = {"fold": "folds", "check": "checks", "all-in": "is all-in"}.get(kind, kind + "s")
        to = {"bet": f" {total}", "raise": f" to {total}", "all-in": f" with {total}"}.get(kind, "")
        suffix = "" if decision.is_own else f" ({decision.outcome.replace('_', ' ')})"
        return f"{seat.display_name} {verb}{to}{suffix}"

    def _drafts_of(self, events: Iterable[Mapping[str, Any]]) -> list[EventDraft]:
        """Return the events of other game events; those of the end are kept for `completed`."""
        drafts = []
        amount = self._unit.amount
        for event in events:
            match event["event"]:
                case "street_dealt":
                    drafts.append(self._street(event))
                case "uncalled_returned":
                    self._returned = PotShare(
                        player_id=event["player_id"], amount=amount(event["amount"])
                    )
                case "pot_awarded":
                    self._award(event)
                case "hand_over":
                    self._shown = tuple(
                        ShownHand(
                            player_id=hand["player_id"],
                            cards=wire_cards(hand["cards"]),
                            rank_name=hand["rank_name"],
                            best_five=wire_cards(hand["best_five"]),
                        )
                        for hand in event["shown"]
                    )
        return drafts

    def _award(self, pot: Mapping[str, Any]) -> None:
        for winner in pot["winners"]:
            self._won[winner["player_id"]] += winner["amount"]
        self._pots.append(
            AwardedPot(
                amount=self._unit.amount(pot["amount"]),
                winners=tuple(
                    PotShare(
                        player_id=winner["player_id"], amount=self._unit.amount(winner["amount"])
                    )
                    for winner in pot["winners"]
                ),
            )
        )

    def _street(self, event: Mapping[str, Any]) -> EventDraft:
        names = event["community_cards"]
        return EventDraft(
            "table_status",
            f"{event['betting_round']}: {' '.join(names)}",
            StatusPayload(
                status="running",
                kind="street_dealt",
                hand_number=self._deal.number,
                betting_round=event["betting_round"],
                community_cards=wire_cards(names),
            ),
            self.hand_id,
        )

    def completed(self, disclosed: Disclosed, pause_ms: int) -> EventDraft:
        """Return `hand_completed`; the stacks must be settled already."""
        ranks = {hand.player_id: f" with {hand.rank_name}" for hand in self._shown}
        winners = [
            f"{self._seats[player_id].display_name} wins {self._unit.amount(chips)}"
            + ranks.get(player_id, "")
            for player_id, chips in self._won.items()
        ]
        return EventDraft(
            "hand_completed",
            f"hand {self._deal.number}: {', '.join(winners)}",
            HandCompletedPayload(
                hand_number=self._deal.number,
                community_cards=wire_cards(self._game.get_public_state()["community_cards"]),
                pots=tuple(self._pots),
                returned=self._returned,
                shown=self._shown,
                stacks=tuple(
                    StackAfter(player_id=seat.player_id, stack=self._unit.amount(seat.stack))
                    for seat in self._deal.seats
                ),
                disclosed=disclosed,
                pause_ms=pause_ms or None,
            ),
            self.hand_id,
        )


def _questions(table: Table, deal: HandPositions, hand: Hand, hand_id: str) -> HandQuestions:
    """Return the questions of a hand; the engine's last seat has the button, or is before it."""
    first = deal.button + 1
    seats = (*deal.seats[first:], *deal.seats[:first])
    players = tuple(NamedPlayer(seat.player_id, seat.display_name, seat.number) for seat in seats)
    names = HandNames(table.table_id, hand_id, deal.number, players, deal.button_seat)
    return HandQuestions(hand, names, table.unit, lambda seat: seats[seat].sits_out)
