"""Questions of one seat and their outcomes: at most one is open, each has one answer at most.

An answer from outside that comes too late is refused here, with STALE_TURN or NOT_YOUR_TURN; what
the table does without one is in `turn.py` of `casino_play`.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from casino_contracts import Defaulted, GameActionRequest, GameActionResponse
from prometheus_client import Gauge

from casino_seats.clock import Clock, Timer
from casino_seats.errors import ActionRefused, RefusedAction
from casino_seats.offered_action import checked

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """One decision of one seat. Times are seconds of the injected monotonic clock."""

    request_id: str  # names the question: a redelivery has the same id, a second attempt another
    turn: int  # counts the decisions of the match, from 1; never falls: a lock for late answers
    game_type: str
    spec_version: str
    hand_id: str | None
    hand_number: int | None
    state: Json = field(repr=False)  # `public` and `private`: what the player may know
    offers: tuple[Json, ...]  # the legal actions, as the game spells them
    asked_at: float
    ends_at: float  # no answer is taken any more; a little before the table's own deadline
    rejected: str | None = None  # with a second attempt: why the table refused the first answer
    deadline: float = 0.0  # the table's own deadline, after which it decides by default
    bank_ms: int = 0  # how much of the time is the seat's time bank, in milliseconds

    def left_ms(self, now: float) -> int:
        """Return the time that is left for an answer, in milliseconds."""
        return max(0, round((self.ends_at - now) * 1000))


def question_of(request: GameActionRequest, turn: int, now: float, reserve_s: float) -> Question:
    """`now` is when it arrived; `reserve_s` is kept for the answer's way to the table."""
    bank_ms = request.time_bank_ms or 0
    clock_s = (request.deadline_ms + bank_ms) / 1000
    return Question(
        request_id=request.request_id,
        turn=turn,
        game_type=request.game_type,
        spec_version=request.spec_version,
        hand_id=request.hand_id,
        hand_number=request.hand_number,
        state=request.state,
        offers=request.available_actions,
        asked_at=now,
        ends_at=now + clock_s - min(reserve_s, clock_s / 4),
        deadline=now + clock_s,
        rejected=request.rejected.message if request.rejected else None,
        bank_ms=bank_ms,
    )


AWAY = "away"
ANSWERS_KEPT = 16
"""A redelivered question gets its stored answer; a table asks one question of a seat at a time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, as the table gets it."""

    request_id: str
    turn: int
    action: Json
    message: str | None = None
    defaulted: Defaulted | None = None
    """Why the seat, or the player's program, answered in the player's place."""

    def response(self) -> GameActionResponse:
        defaulted = self.defaulted
        away = True if defaulted and defaulted.reason == AWAY else None
        return GameActionResponse(
            action=self.action, message=self.message, away=away, defaulted=defaulted
        )


class Turns:
    """The open question of a seat, and the newest answers by request.

    `decisions`, which callers pass, counts the decisions of the match as far as its events came.
    """

    def __init__(self, reserve_s: float) -> None:
        self.question: Question | None = None
        self._reserve_s = reserve_s
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._numbers: OrderedDict[str, int] = OrderedDict()
        """Turns by request, so that a redelivered question keeps its own."""
        self._newest = 0

    def restore(self, numbers: Mapping[str, int], answers: Mapping[str, Answer]) -> None:
        """Restore what was stored before a restart, oldest first."""
        for request_id, turn in numbers.items():
            _keep(self._numbers, request_id, turn)
            self._newest = max(self._newest, turn - 1)  # it is asked again, if it has no answer
        for answer in answers.values():
            self._remember(answer)

    def number(self, decisions: int) -> int:
        """Return the open question's turn, else that of the next decision."""
        if self.question is not None:
            return self.question.turn
        return max(decisions, self._newest) + 1

    def answer(self, request_id: str) -> Answer | None:
        return self._answers.get(request_id)

    def open(self, request: GameActionRequest, now: float, decisions: int) -> Question:
        """Open a question; another open one is over, because the table asks one at a time."""
        self.question = None
        turn = self.reserve(request.request_id, decisions)
        self._newest = max(self._newest, turn)
        self.question = question_of(request, turn, now, self._reserve_s)
        return self.question

    def reserve(self, request_id: str, decisions: int) -> int:
        """Return the turn of a question, which it keeps; a new one if it has none."""
        turn = self._numbers.get(request_id) or max(decisions, self._newest) + 1
        _keep(self._numbers, request_id, turn)
        return turn

    def take(
        self,
        action: Mapping[str, Any],
        *,
        turn: int | None,
        message: str | None,
        defaulted: Defaulted | None = None,
        now: float,
        decisions: int,
    ) -> tuple[Question, Answer]:
        """Answer the open question, which is closed by it; raises ActionRefused."""
        question = self.question
        if question is None or now >= question.ends_at:
            raise self._not_open(turn, decisions)
        if turn is not None and turn != question.turn:
            raise ActionRefused(
                RefusedAction.STALE_TURN,
                f"The open question is that of turn {question.turn}, not of turn {turn}.",
                question.offers,
            )
        taken = checked(action, question.offers)
        answer = Answer(question.request_id, question.turn, taken, message, defaulted)
        self.question = None
        self._remember(answer)
        return question, answer

    def take_default(self, action: Json, reason: str) -> tuple[Question, Answer] | None:
        """Answer the open question by default; None if none is open."""
        question = self.question
        if question is None:
            return None
        answer = Answer(
            question.request_id, question.turn, action, defaulted=Defaulted(reason=reason)
        )
        self.question = None
        self._remember(answer)
        return question, answer

    def reopen(self, question: Question) -> None:
        """Open a question again whose answer could not be stored."""
        self._answers.pop(question.request_id, None)
        if self.question is None:
            self.question = question

    def close(self, request_id: str) -> Question | None:
        """Close an open question without an answer; returns it, None if it is not open."""
        question = self.question
        if question is None or question.request_id != request_id:
            return None
        self.question = None
        return question

    def _not_open(self, turn: int | None, decisions: int) -> ActionRefused:
        if turn is not None and turn < max(decisions, self._newest) + 1:
            return ActionRefused(
                RefusedAction.STALE_TURN, f"The question of turn {turn} is answered or over."
            )
        return ActionRefused(RefusedAction.NOT_YOUR_TURN, "No question is open for this seat.")

    def _remember(self, answer: Answer) -> None:
        self._newest = max(self._newest, answer.turn)
        _keep(self._answers, answer.request_id, answer)


def _keep(kept: OrderedDict[str, Any], key: str, value: object) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > ANSWERS_KEPT:
        kept.popitem(last=False)


Expire = Callable[["Pending"], None]


class Pending:
    """A question, the future of its answer, and its timers; redeliveries wait for the same."""

    def __init__(self, question: Question, spec: tuple[str, str]) -> None:
        self.question = question
        self.request_id = question.request_id
        self.spec = spec  # game type and version of the question's specification
        self.answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._timers: list[Timer] = []
        self._gauge: Gauge | None = None

    def wait(self, clock: Clock, gauge: Gauge, expire: Expire, give_up: Expire) -> None:
        """Count the question as open, and call when its time, and the table's, is over."""
        question = self.question
        self._timers = [
            clock.at(question.ends_at, lambda: expire(self)),
            clock.at(question.deadline, lambda: give_up(self)),
        ]
        self._gauge = gauge
        gauge.inc()

    def settle(self, answer: Answer | None) -> None:
        """Set the answer, None if there is none; the first one counts."""
        for timer in self._timers:
            timer.cancel()
        if self._gauge is not None:
            self._gauge.dec()
            self._gauge = None
        if not self.answer.done():
            self.answer.set_result(answer)
