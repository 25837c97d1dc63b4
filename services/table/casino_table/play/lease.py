"""The lease of a table, and the asking of players while it runs, at the table's pace.

A lobby that hears nothing of a table gives the room to another one. So that no player is asked by
two tables, the silent one stops first: its lease is shorter than the lobby's patience. What is open
then is abandoned: it is asked anew later, with the same request id and the player's whole clock, as
after a restart of the table. What a late answer is worth decides `Turn.decide`
(`casino_play/turn.py`); `DecisionsMade` (`changes.py`) applies the decision.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from math import inf
from typing import Any

import structlog
from casino_agentkit import Conversation
from casino_agentkit.traces import Traces
from casino_contracts import WaitReason
from casino_play.turn import Clock, Decision, Question, Turn

from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.errors import LeaseOver

Questions = Sequence[tuple[Seat, Question[Any]]]
"""The seats that decide at the same time and their questions, in the game's order."""
WhileWaiting = Callable[[WaitReason, str], AbstractContextManager[None]]
"""Tells why a table waits, with a detail, until the context ends."""
_PROVIDER_AWAY = "provider_away"

logger = structlog.get_logger(__name__)


class Lease:
    """The right to ask players until `ends_at`, in seconds; without a grant it has no limit."""

    def __init__(self, ends_at: float = inf) -> None:
        self._ends_at = ends_at
        self._granted_at = -inf
        self._is_surrendered = False

    @classmethod
    def of_configuration(cls, arrived_at: float, lease_ms: int | None) -> "Lease":
        """Return the lease of a configuration that arrived at a moment; None: without limit."""
        lease = cls()
        if lease_ms is not None:
            lease.grant(arrived_at, lease_ms)
        return lease

    @classmethod
    def of_journal(cls, lease_ms: int | None) -> "Lease":
        """Return the lease of a table that was recovered.

        With a lease it asks nobody before the lobby answers: meanwhile the room may have moved.
        """
        return cls() if lease_ms is None else cls(-inf)

    @property
    def is_limited(self) -> bool:
        """Whether the right ever ends."""
        return self._ends_at < inf

    def is_valid(self, now: float) -> bool:
        return now < self._ends_at

    def require(self, now: float) -> None:
        if not self.is_valid(now):
            raise LeaseOver("the lease of the table is over")

    def left_s(self, now: float) -> float:
        """Return the seconds until the end; at most 0 if it is over, infinite without a limit."""
        return self._ends_at - now

    def grant(self, sent_at: float, lease_ms: int) -> None:
        """End `lease_ms` after the answered announcement; older ones' answers change nothing."""
        if self._is_surrendered or sent_at < self._granted_at:
            return
        self._granted_at = sent_at
        self._ends_at = sent_at + lease_ms / 1000

    def lift(self) -> None:
        """Remove the limit: the lobby configured the table without a lease."""
        if not self._is_surrendered:
            self._ends_at, self._granted_at = inf, -inf

    def surrender(self) -> None:
        """End it for good: the room continues at another table."""
        self._is_surrendered = True
        self._ends_at = -inf


class Pace:
    """Lets people follow: `pace_ms` between deal and decisions, and a pause on each result."""

    def __init__(
        self,
        clock: Clock,
        pace_ms: int | None,
        waiting: WhileWaiting,
    ) -> None:
        self._clock = clock
        self._waiting = waiting
        self._reason = WaitReason.PACE
        self._pace_s = (pace_ms or 0) / 1000
        self._ends_at = -inf

    def published(self) -> None:
        """Note that a deal or a decision was published."""
        if self._pace_s:
            self._ends_at = self._clock.now() + self._pace_s
            self._reason = WaitReason.PACE

    def completed(self, pause_ms: int) -> None:
        """Note that a result was published, after which the next hand waits."""
        if pause_ms:
            self._ends_at = max(self._ends_at, self._clock.now() + pause_ms / 1000)
            self._reason = WaitReason.RESULT_SHOWN

    async def wait(self, at_most_s: float = inf) -> bool:
        """Wait until the next one may be published, or for some time; returns whether it waited."""
        if self._ends_at == -inf:
            return False
        left_s = self._ends_at - self._clock.now()
        if left_s > 0:
            with self._waiting(self._reason, ""):
                await self._clock.sleep(min(left_s, at_most_s))
        return left_s > 0


class LeasedAsking:
    """Asks the players of one session.

    A lease has one timer, not one for each decision: lobbies renew it long before it ends.
    `waiting` tells while the provider of a model is away, without which play goes on by default.
    """

    def __init__(
        self,
        table: Table,
        turn: Turn,
        lease: Lease,
        clock: Clock,
        pace: Pace,
        waiting: WhileWaiting,
        traces: Traces | None = None,
    ) -> None:
        self._traces = traces
        self._table = table
        self._turn = turn
        self._lease = lease
        self._clock = clock
        self._pace = pace
        self._waiting = waiting
        self._away: set[str] = set()
        """Players whose model's provider was away at their last decision."""
        self._wait = ExitStack()
        self._task: asyncio.Task[Any] | None = None
        """The task of the session, which asks all questions."""
        self._is_open = False
        """Whether a question is open."""
        self._is_abandoned = False
        """Whether the open question was abandoned, by a cancellation that is not the session's."""
        self._watching: asyncio.Task[None] | None = None
        self._logger = logger.bind(table=table.table_id)

    def is_allowed(self) -> bool:
        return self._lease.is_valid(self._clock.now())

    async def decisions(
        self, questions: Questions, conversations: Mapping[str, Conversation]
    ) -> list[Decision] | None:
        """Ask concurrently, then wait for the pace; None: the lease is over, no answer counts."""
        if not self.is_allowed():
            return None
        if self._lease.is_limited and (self._watching is None or self._watching.done()):
            self._watching = asyncio.create_task(self._watch())
        self._is_abandoned = False
        self._task = task = self._task or asyncio.current_task()
        self._is_open = True
        try:
            decisions = await self._answers(questions, conversations)
            await self._pace.wait()
        except LeaseOver:
            return None
        except asyncio.CancelledError:
            if not self._is_abandoned or task is None or task.uncancel() > 0:
                raise
            return None
        finally:
            self._is_open = False
        if not self.is_allowed():
            return None
        for (seat, _), decision in zip(questions, decisions, strict=True):
            if self._away or decision.defaulted is not None:
                self._note_provider(seat, decision)
        return decisions

    def _note_provider(self, seat: Seat, decision: Decision) -> None:
        is_told, default = bool(self._away), decision.defaulted
        self._away.intersection_update(seat.player_id for seat in self._table.seats.values())
        if decision.is_own:
            self._away.discard(seat.player_id)
        elif default is not None and default.reason == _PROVIDER_AWAY:
            self._away.add(seat.player_id)
        if not self._away:
            self._wait.close()
        elif not is_told:
            names = ", ".join(sorted(self._away))
            self._wait.enter_context(self._waiting(WaitReason.PROVIDER_AWAY, names))

    def cancel(self) -> None:
        self._wait.close()
        if self._watching is not None:
            self._watching.cancel()

    async def _watch(self) -> None:
        """Abandon the question that is open when the lease ends."""
        while 0 < (left_s := self._lease.left_s(self._clock.now())) < inf:
            await self._clock.sleep(left_s)
        if self._is_open and self._task is not None and not self.is_allowed():
            self._is_abandoned = True
            self._task.cancel()

    async def _answers(
        self, questions: Questions, conversations: Mapping[str, Conversation]
    ) -> list[Decision]:
        """Return the decisions in the game's order; raises LeaseOver."""
        if len(questions) == 1:
            ((seat, question),) = questions
            return [await self._answer(seat, question, conversations)]
        answers = (self._answer(seat, question, conversations) for seat, question in questions)
        outcomes = await asyncio.gather(*answers, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return [outcome for outcome in outcomes if isinstance(outcome, Decision)]

    async def _answer(
        self, seat: Seat, question: Question[Any], conversations: Mapping[str, Conversation]
    ) -> Decision:
        if seat.sits_out:
            why = (
                "while nobody is there"
                if seat.is_away
                else f"after {seat.failures} failures in a row"
            )
            reason = f"sits out {why}; nothing was asked"
            return Decision(question.default, "sitting_out", reason=reason)
        agent = seat.agent_seat(self._table.config)
        asked = self._turn.decide(agent, question, conversations[seat.player_id])
        traces = self._traces
        decision = await (asked if traces is None else self._traced(traces, seat, asked))
        if decision.outcome != "ok":
            default = decision.defaulted  # its detail may quote cards
            self._logger.info(
                "decision_retried" if decision.is_own else "decision_missed",
                hand=self._table.hand_number,
                player=seat.player_id,
                outcome=decision.outcome,
                reason=default.reason if default else decision.reason,
            )
        return decision

    async def _traced(
        self, traces: Traces, seat: Seat, asked: Coroutine[Any, Any, Decision]
    ) -> Decision:
        room = self._table.table_id
        hand = f"{room}/{self._table.hand_number}"
        with traces.span(
            "question", kind="client", room=room, hand=hand, player=seat.player_id
        ) as span:
            decision = await asked
            span.outcome = decision.outcome
            return decision
