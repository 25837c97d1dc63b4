"""What happens at a seat's table, as messages of A2G."""

from collections.abc import Mapping
from typing import Any

from casino_contracts import HOLDEM, ContributeInput, TableEvent, Unit
from casino_contracts.events.content import ActionTaken, HandCompleted, HandStarted, content_of
from casino_gamespec.a2g import a2g_action, a2g_offer, a2g_result
from casino_seats.turns import Question

from casino_gateway.a2g.a2g_codes import GameCode
from casino_gateway.a2g.a2g_frames import MessageDraft
from casino_gateway.domain.match import Match
from casino_gateway.domain.updates import (
    Answered,
    Asked,
    Dealt,
    Expired,
    HandOver,
    PartAsked,
    RoomEvent,
    SeatClosed,
    Update,
)

Json = dict[str, Any]

REQUESTS = frozenset({"game_action_request", "betting_window_open", "contribution_request"})
"""Sent again while the question is open, with the time that is left; never as missed messages."""

_WITH_AMOUNT = frozenset({"bet", "raise"})
"""Actions of Hold'em that have an amount; an event names the total of the others as well."""
_RESULTS_KEPT = 16
_QUIET = frozenset({"waiting", "between_hands", "over"})


class TableMessages:
    """The messages of one seat's table.

    Payloads conform to the specification of the game: questions and states to the State Schema,
    actions to the Action Schema, results to the Result Schema. All else is in the envelope.
    """

    def __init__(self, match: Match) -> None:
        self.table_id = match.room_id
        self.game_type = match.game_type
        self.is_window = False
        """Whether the game is phase-based: its questions are betting windows."""
        self._match = match
        self._hand: int | None = None
        """Of the newest question."""
        self._version: str | None = None
        self._results: list[int] = []
        self._running: set[int] = set()
        """Hands of the seat whose result was not sent yet."""
        self._is_asked = False
        """Whether the client has a question, which no result of an earlier hand may interrupt."""
        self._late: list[MessageDraft] = []
        """Results that came during a later hand's question; sent once it is answered or over."""

    @property
    def is_hand_over(self) -> bool:
        """Whether no hand is played, as far as events and questions say: either may be first."""
        if self._hand in self._results:
            return True
        is_known = self._hand is None or (self._match.hand_number or 0) >= self._hand
        return is_known and self._match.phase in _QUIET

    def has_results_before(self, question: Question) -> bool:
        """Return whether the results of the seat's hands before a question's were sent."""
        number = question.hand_number
        return number is None or all(hand >= number for hand in self._running)

    def of(self, update: Update, now: float) -> list[MessageDraft]:
        """Return the messages of an update; `now` is the monotonic clock in seconds."""
        match update:
            case Asked(question):
                return [self.request(question, now)]
            case Answered(question) | Expired(question):
                over = [self._timeout(question)] if isinstance(update, Expired) else []
                return [*self._closed(question), *over, *self._late_results()]
            case PartAsked(request):
                draft = self.part(request)
            case HandOver(hand_number=number, result=result):
                return self._result(number, result)
            case RoomEvent(event):
                return self._event(event)
            case Dealt(hand_number=number, state=state):
                self._running.add(number)
                draft = self._draft("game_state_update", state, handNumber=number)
            case SeatClosed(reason):
                return [*self._late_results(), self._draft("seat_closed", {"reason": reason})]
        return [draft]

    def request(self, question: Question, now: float) -> MessageDraft:
        self._version = question.spec_version
        self._hand = question.hand_number
        self._is_asked = True
        self._running = {hand for hand in self._running if hand > (self._hand or 0)}
        if self._hand is not None:
            self._running.add(self._hand)
        kind = "betting_window_open" if self.is_window else "game_action_request"
        seconds = question.left_ms(now) / 1000
        return self._draft(
            kind,
            state_with_offers(question.state, question.offers),
            timeoutSeconds=int(seconds) if seconds.is_integer() else seconds,
            handNumber=question.hand_number,
            turn=question.turn,
            requestId=question.request_id,
            rejected=question.rejected,
        )

    def part(self, request: ContributeInput) -> MessageDraft:
        """Return the request for a part in the deal; its table is the room of the envelope."""
        asked = request.model_dump(mode="json", exclude={"table_id", "request_id"})
        return self._draft("contribution_request", asked)

    def state(self, view: Mapping[str, Any]) -> MessageDraft:
        return self._draft("game_state_update", view)

    def error(
        self, code: GameCode, message: str, related: str | None, offers: tuple[Json, ...] = ()
    ) -> MessageDraft:
        """Return a refused action, with what is offered if the question is still open."""
        payload: Json = {"code": code, "message": message, "relatedMessageId": related}
        if offers:
            payload["availableActions"] = [a2g_offer(offer) for offer in offers]
        return self._draft("game_error", payload)

    def _draft(self, kind: str, payload: Mapping[str, Any], **extra: Any) -> MessageDraft:
        fields = {"specVersion": self._version, **extra}
        present = {name: value for name, value in fields.items() if value is not None}
        return MessageDraft(kind, payload, self.table_id, self.game_type, present)

    def _closed(self, question: Question) -> list[MessageDraft]:
        if not self.is_window:
            return []
        return [
            self._draft(
                "betting_window_closed",
                {},
                handNumber=question.hand_number,
                turn=question.turn,
                requestId=question.request_id,
            )
        ]

    def _timeout(self, question: Question) -> MessageDraft:
        return self._draft(
            "game_error",
            {
                "code": GameCode.TIMEOUT,
                "message": "the time is over; the table performs the default action",
                "relatedMessageId": None,
            },
            handNumber=question.hand_number,
            turn=question.turn,
        )

    def _event(self, event: TableEvent) -> list[MessageDraft]:
        match content_of(event):
            case ActionTaken() as content:
                return [self._broadcast(event, content)]
            case HandCompleted(result=result, hand_number=number) if result and number:
                return [*self._result(number, result), self._draft("table_event", _public(event))]
            case HandStarted() as content:
                self._version = _text(content.fields.get("specVersion")) or self._version
        return [self._draft("table_event", _public(event))]

    def _broadcast(self, event: TableEvent, content: ActionTaken) -> MessageDraft:
        extra = {
            "playerId": content.player_id,
            "handNumber": content.hand_number,
            "outcome": content.outcome,
            "defaulted": content.default_reason and {"reason": content.default_reason},
            "message": content.message,
            "pot": content.pot,
            "stack": content.stack,
            "eventSequence": event.sequence,
        }
        return self._draft("player_action_broadcast", self._action(content), **extra)

    def _action(self, content: ActionTaken) -> Json:
        """Return an action as in the Action Schema, whose amounts are whole chips."""
        if content.details is not None:
            return a2g_action(content.details)
        action: Json = {"action": content.action}
        is_sized = self.game_type == HOLDEM and content.action in _WITH_AMOUNT
        config = self._match.config
        if is_sized and content.amount and config is not None:
            action["amount"] = Unit.of(config).chips(content.amount)
        return action

    def _result(self, number: int, result: Mapping[str, Any]) -> list[MessageDraft]:
        """Return a hand's result once, from the table's notice or the event, whichever is first."""
        if number in self._results:
            return []
        self._running.discard(number)
        self._results = [*self._results[1 - _RESULTS_KEPT :], number]
        draft = self._draft("round_result", a2g_result(result), handNumber=number)
        if self._is_asked and number < (self._hand or 0):
            self._late.append(draft)
            return []
        return [draft]

    def _late_results(self) -> list[MessageDraft]:
        late, self._late = self._late, []
        self._is_asked = False
        return late


def state_with_offers(state: Mapping[str, Any], offers: tuple[Json, ...]) -> Json:
    """Return a state as the State Schema has it for A2G: with the offers."""
    return {**state, "availableActions": [a2g_offer(offer) for offer in offers]}


def _public(event: TableEvent) -> Json:
    written = event.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {name: written[name] for name in written if name != "tableId"}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
