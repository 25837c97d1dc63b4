"""A session: hand after hand, until the limit or until too few have chips.

Everything it does is committed to the journal before anybody is told or asked, so a session that
was cut off anywhere goes on from there.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import structlog
from casino_agentkit import Conversation
from casino_contracts import PlayerBustedPayload, TableErrorPayload

from casino_table.clock import Clock
from casino_table.decisions.player_directory import PlayerDirectory
from casino_table.decisions.recorded import decided
from casino_table.decisions.turn import Decision, Question, Turn
from casino_table.domain.seat import Seat
from casino_table.domain.table import Table
from casino_table.journal.journal import SETTLED, Journal, JournalFailed, JournalRecord, TableFact
from casino_table.metrics import TableMetrics
from casino_table.play.hand import RunningHand, count_missed_decision
from casino_table.play.sitting_out import SitOutMonitor
from casino_table.presenters.status import status

PAUSE_LIMIT = timedelta(seconds=60)
_PAUSE_ROUND_S = 1.0
_BACKLOG_ROUND_S = 0.2
_DISK_ROUND_S = 1.0

logger = structlog.get_logger(__name__)


class Session:
    """Plays one table's hands.

    `record` makes a record of the table as it stands; `seed_of` gives the seed of a hand by its
    number; `max_undelivered` is how many events may wait for the lobby before play pauses between
    hands.
    """

    def __init__(
        self,
        table: Table,
        journal: Journal,
        players: PlayerDirectory,
        clock: Clock,
        *,
        record: Callable[[str], JournalRecord],
        seed_of: Callable[[int], str],
        max_undelivered: int,
        metrics: TableMetrics,
    ) -> None:
        self._table = table
        self._journal = journal
        self._clock = clock
        self._record = record
        self._seed_of = seed_of
        self._max_undelivered = max_undelivered
        self._metrics = metrics
        self._logger = logger.bind(table=table.table_id)
        self._turn = Turn(players, clock, timedelta(milliseconds=table.config.action_timeout_ms))
        self._absentees = SitOutMonitor(table, players)
        self.hand: RunningHand | None = None
        """The one that is being played."""
        self.ends_after_hand = False
        self.rests_after_hand = False
        """Stop between hands without an end: the process goes, the session comes back."""

    def opening(self) -> list[TableFact]:
        """Return what is told when the session begins; the chips of who is broke are in it."""
        table = self._table
        started = status(
            table,
            "started",
            f"the session begins: {table.hands_left} hands",
            hands_left=table.hands_left,
        )
        return [started, *self._rebought()]

    async def run(self, hand: RunningHand | None = None) -> None:
        """Play until the session ends, from a running hand on where there is one.

        It ends in order, or the table says what stopped it.
        """
        table = self._table
        try:
            if hand is not None:
                await self._play_on(hand)
            while not self._is_over():
                await self._wait_for_disk_space()
                await self._wait_for_the_lobby()
                if not await self._enough_are_active():
                    break
                if self._is_over():
                    break
                await self._play_on(await self._deal())
                await asyncio.sleep(0)  # other tables of the process want to play too
            if not self.rests_after_hand:
                table.finish(f"finished after {table.hands_completed} hands")
                await self._commit("finished", [status(table, "finished", table.message)])
        except Exception as error:
            # A fault of ours must not take the process with it: the table stops and says so.
            self._logger.exception("session_failed", hand=table.hand_number)
            await self._stop(f"the session stopped: {type(error).__name__}")
        finally:
            self._absentees.cancel()

    def _is_over(self) -> bool:
        return self.ends_after_hand or self.rests_after_hand or not self._table.can_play_on()

    async def _stop(self, why: str) -> None:
        table = self._table
        table.status, table.message = "error", why
        payload = TableErrorPayload(
            reason=why,
            done="the running hand was cancelled, stacks are as before it",
            status=table.status,
        )
        await self._commit("stopped", [TableFact("table_error", why, payload)])

    # One hand.

    async def _deal(self) -> RunningHand:
        table = self._table
        deal = table.next_deal()
        seed = self._seed_of(deal.number)
        hand = RunningHand(table, deal, seed)
        table.message = f"hand {deal.number}"
        await self._committed(JournalRecord("hand", {"seed": seed}), hand.started())
        return hand

    async def _play_on(self, hand: RunningHand) -> None:
        """Play a hand to its end, and see to the seats after it."""
        self.hand = hand
        try:
            conversations = {seat.player_id: Conversation() for seat in hand.deal.seats}
            while not hand.is_over:
                await self._decide(hand, conversations)
            told = [*hand.settle(), *self._between_hands()]
            await self._commit(SETTLED, told)
            self._metrics.hand_completed()
            self.hand = None
        except asyncio.CancelledError:
            if not self._journal.is_durable:  # else it is played on later, from here
                await self._cancel(hand)
            raise
        except Exception:
            await self._cancel(hand)
            raise

    async def _cancel(self, hand: RunningHand) -> None:
        table = self._table
        table.cancel(hand.deal)
        number = hand.deal.number
        self._logger.warning("hand_cancelled", hand=number)
        cancelled = status(table, "hand_cancelled", table.message, hand_number=number)
        await self._commit("cancelled", [cancelled])
        self.hand = None

    async def _decide(self, hand: RunningHand, talks: Mapping[str, Conversation]) -> None:
        """Ask whose decision it is, all of a window at once; carry out in the game's order.

        A window's decisions are one record: nobody may still be asked when the first is told.
        """
        asked = [(seat, hand.question(seat, ahead)) for ahead, seat in enumerate(hand.pending)]
        if len(asked) == 1:
            ((seat, question),) = asked
            decisions = [await self._answer(seat, question, talks)]
        else:
            answers = [self._answer(seat, question, talks) for seat, question in asked]
            decisions = await asyncio.gather(*answers)
        told: list[TableFact] = []
        for (seat, _), decision in zip(asked, decisions, strict=True):
            told += self._carry_out(hand, seat, decision)
        await self._committed(decided(decisions), told)

    async def _answer(
        self, seat: Seat, question: Question[Any], talks: Mapping[str, Conversation]
    ) -> Decision:
        if seat.sits_out:
            return Decision(question.default, "timeout")
        decision = await self._turn.decide(seat, question, talks[seat.player_id])
        if not decision.is_own:
            self._logger.info(
                "decision_missed",
                hand=self._table.hand_number,
                player=seat.player_id,
                outcome=decision.outcome,
            )
        return decision

    def _carry_out(self, hand: RunningHand, seat: Seat, decision: Decision) -> list[TableFact]:
        self._metrics.decided(decision)
        told = hand.act(decision)
        if count_missed_decision(self._table, seat, decision):
            self._logger.info("sat_out", hand=hand.deal.number, player=seat.player_id)
            away = f"{seat.display_name} sits out after {seat.failures} failures in a row"
            told.append(status(self._table, "sat_out", away, seat, reason=decision.outcome))
        return told

    # Between hands.

    def _between_hands(self) -> list[TableFact]:
        """Let go who is broke or wants to leave, sell chips; returns what is told of it."""
        table = self._table
        left = len(table.with_chips())
        told = [
            TableFact(
                "player_busted",
                f"{seat.display_name} is out",
                PlayerBustedPayload(
                    hand_number=table.hand_number, player_id=seat.player_id, finish=place
                ),
                f"{table.table_id}/{table.hand_number}",
            )
            for place, seat in enumerate(table.free_busted(), start=left + 1)
        ]
        table.send_away_short()
        told += departures(table)
        if table.hands_left > 0:
            told += self._rebought()
        return told + self._absentees.welcome_back()

    def _rebought(self) -> list[TableFact]:
        table = self._table
        told = []
        for seat in table.rebuy_busted():
            bought = table.config.starting_stack
            message = f"{seat.display_name} buys {bought}"
            told.append(status(table, "rebought", message, seat, amount=bought))
        return told

    async def _enough_are_active(self) -> bool:
        """Pause while too few seats are active; tells whether play goes on."""
        table = self._table
        if len(table.active()) >= table.min_players:
            return True
        table.state = "paused"
        paused = status(table, "paused", "too few seats are active", reason="players away")
        await self._commit("paused", [paused])
        ends_at = self._clock.now() + PAUSE_LIMIT.total_seconds()
        while self._clock.now() < ends_at and not self._is_over():
            await self._clock.sleep(_PAUSE_ROUND_S)
            told = self._absentees.welcome_back()
            if told:
                await self._commit("returned", told)
            if len(table.active()) >= table.min_players:
                table.state = None
                return True
        return False

    async def _wait_for_the_lobby(self) -> None:
        """Pause between hands while too many events are undelivered."""
        if self._journal.undelivered <= self._max_undelivered:
            return
        self._table.state = "paused"
        paused = status(
            self._table, "paused", "the lobby does not take events", reason="lobby away"
        )
        await self._commit("paused", [paused])
        while self._journal.undelivered > self._max_undelivered and not self._is_over():
            await self._clock.sleep(_BACKLOG_ROUND_S)
        self._table.state = None

    async def _wait_for_disk_space(self) -> None:
        """Pause between hands while the disk has no room for a whole one."""
        if self._journal.has_disk_space():
            return
        table = self._table
        table.state, table.message = "disk-full", "paused: the journal's disk is full"
        self._logger.error("disk_full")
        while not self._journal.has_disk_space() and not self._is_over():
            await self._clock.sleep(_DISK_ROUND_S)
        table.state = None

    # Commits.

    async def _commit(self, kind: str, facts: Sequence[TableFact]) -> None:
        """Commit the table as it stands, with what is told."""
        await self._committed(self._record(kind), facts)

    async def _committed(self, record: JournalRecord, facts: Sequence[TableFact]) -> None:
        """Commit a record; while the journal takes nothing, play waits for it."""
        is_told = False
        while True:
            try:
                return self._journal.commit(record, facts)
            except JournalFailed as failed:
                if not is_told:
                    self._logger.error(  # noqa: TRY400  no fault here
                        "journal_failed", hand=self._table.hand_number, error=str(failed)
                    )
                is_told = True
                self._table.state = "journal-failed"
                await self._clock.sleep(_DISK_ROUND_S)
                self._table.state = None


def departures(table: Table) -> list[TableFact]:
    """Let go who wants to leave; returns what is told of it."""
    return [
        status(table, "left", f"{seat.display_name} leaves", seat) for seat in table.let_leave()
    ]
