"""A question for whose answer the table waits."""

import asyncio
from collections.abc import Callable

from prometheus_client import Gauge

from casino_seats.clock import Clock, Timer
from casino_seats.question import Question
from casino_seats.turns import Answer

Expire = Callable[["Pending"], None]


class Pending:
    """A question, the future of its answer, and its timers; redeliveries wait for the same."""

    def __init__(self, question: Question, spec: tuple[str, str]) -> None:
        self.question = question
        self.request_id = question.request_id
        self.spec = spec
        """Game type and version of the question's specification."""
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
