"""What one seat may know of the running hand: its own state, and the newest public one. Pure."""

from typing import Any

from casino_contracts import TableEvent
from casino_contracts.events.content import hand_number_of
from casino_seats.turns import Question

from casino_gateway.domain.match import Match

Json = dict[str, Any]


class SeatView:
    """A seat's newest state and result.

    The public part is the newest of the room's events and of what the table sent to the seat; the
    private part is what the table sent to the seat in this hand.
    """

    def __init__(self, match: Match) -> None:
        self._match = match
        self._state: Json | None = None
        self._state_hand = 0
        """Number of the hand in which the table sent the state."""
        self._is_public_newer = False
        self._result: Json | None = None
        self._dealt = self._completed = 0

    @property
    def result(self) -> Json | None:
        """The result of the hand that `state` shows; None while that is played.

        It comes from the table's notice, or before it with the room's `hand_completed`.
        """
        number = self.hand_number
        if self._result is not None and self._completed == number:
            return self._result
        return self._match.result if self._match.result_hand == number else None

    @property
    def awaits_result(self) -> bool:
        """Whether the seat was dealt a hand whose result has not come."""
        return self._dealt > self._completed

    @property
    def hand_number(self) -> int | None:
        return max(self._match.hand_number or 0, self._state_hand) or None

    def is_before_result(self, question: Question) -> bool:
        """Whether a question is of a later hand than the one whose result has not come."""
        return self.awaits_result and (question.hand_number or 0) > self._dealt

    def state(self, question: Question | None) -> Json | None:
        """Return `public` and `private`; None before the table sent anything."""
        if question is not None:
            return question.state
        if self._state is None or not self._is_public_newer:
            return self._state
        is_same_hand = (self._match.hand_number or 0) <= self._state_hand
        if not self._match.public:
            return self._state if is_same_hand else None
        private = self._state.get("private", {}) if is_same_hand else {}
        return {"public": self._match.public, "private": private}

    def ask(self, question: Question) -> None:
        self._tell(question.hand_number or self._state_hand, question.state)

    def deal(self, hand_number: int, state: Json) -> bool:
        """Take the state at the deal; returns False if the hand is already over or known."""
        if hand_number < self._state_hand or hand_number <= max(self._completed, self._dealt):
            return False
        self._dealt = hand_number
        if hand_number > self._state_hand:
            self._tell(hand_number, state)
        return True

    def complete(self, hand_number: int, result: Json) -> bool:
        """Take the result of a hand; returns False if it is known."""
        if hand_number <= self._completed:
            return False
        self._completed = hand_number
        self._result = result
        return True

    def note(self, event: TableEvent) -> None:
        """Note that the room's match has a newer event, unless it is one of an earlier hand."""
        number = None if event.payload is None else hand_number_of(event)
        if number is not None and number >= self._state_hand:
            self._is_public_newer = True

    def _tell(self, hand_number: int, state: Json) -> None:
        self._state, self._state_hand = state, hand_number
        self._is_public_newer = False
