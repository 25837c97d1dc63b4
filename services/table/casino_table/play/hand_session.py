"""A session: play hands until the limit, or until too few seats have chips.

Every change is committed to the journal before events or questions are sent. So a session that is
interrupted at any point can be resumed: `TableService.resume` (`service.py`) passes the state that
`recover` (`changes.py`) made of the journal, and `run` first asks for the hand's open decision.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from datetime import timedelta
from typing import Any

import structlog
from casino_agentkit import Conversation
from casino_agentkit.traces import Traces
from casino_contracts import TableErrorPayload, WaitReason
from casino_games import GameError
from casino_games.shuffle import derive_seed
from casino_play.turn import Clock, PlayerDirectory, Turn

from casino_table.errors import JournalFailed
from casino_table.journal.journal import EventDraft, Journal
from casino_table.journal.journal_log import SETTLED, JournalRecord
from casino_table.play.changes import DecisionsMade, HandDealt, JournaledTable
from casino_table.play.contributions import DealOutlets, FairDeal
from casino_table.play.game_presenter import status
from casino_table.play.hand_notices import HandNotices, NoticeSender
from casino_table.play.lease import Lease, LeasedAsking, Pace, WhileWaiting
from casino_table.play.running_hand import RunningHand
from casino_table.play.seat_changes import SitOutMonitor, busts, departures, rebuys
from casino_table.table_metrics import TableMetrics

PAUSE_LIMIT = timedelta(seconds=60)
_PAUSE_ROUND_S = 1.0
_BACKLOG_ROUND_S = 0.2
_DISK_ROUND_S = 1.0
_LEASE_ROUND_S = 0.2
_RESULT_ROUND_S = 0.2

logger = structlog.get_logger(__name__)


class HandSession:
    """Plays one table's hands.

    `state.hand` is a running hand to finish first. Play pauses between hands while the lobby lacks
    too many events, and at any decision while `lease` is over; `waiting` tells why while play
    waits, with a detail.
    """

    def __init__(  # noqa: PLR0913  all that a session needs
        self,
        state: JournaledTable,
        journal: Journal,
        players: PlayerDirectory,
        clock: Clock,
        *,
        lease: Lease,
        outlets: DealOutlets,
        metrics: TableMetrics,
        notices: NoticeSender,
        waiting: WhileWaiting,
    ) -> None:
        self._waiting = waiting
        self._state = state
        self._table = table = state.table
        self._journal = journal
        self._clock = clock
        self._entropy = outlets.entropy
        self._metrics = metrics
        self._logger = logger.bind(table=table.table_id)
        self._sitting_out = SitOutMonitor(table, players, clock)
        self._notices = HandNotices(table, notices, lease)
        self._pace = Pace(clock, table.config.pace_ms, waiting)
        turn = Turn(players, clock, lease.require)
        self._asking = LeasedAsking(table, turn, lease, clock, self._pace, waiting, metrics.traces)
        self._fair = FairDeal(
            state, players, clock, lease, self._commit_record, outlets, metrics.contributed
        )
        self.ends_after_hand = False
        self.suspends_after_hand = False
        """Stop between hands without finishing: the session is resumed by the next process."""

    async def run(self) -> None:
        """Play until the session ends; after a bug the table stops with status `error`."""
        table = self._table
        try:
            if self._state.fault is not None:
                await self._cancel(table.hand_number)
                raise self._state.fault  # noqa: TRY301  the session stops as with any other
            if self._state.hand is not None:
                self._notices.dealt(self._state.hand)  # again: the first notice may be lost
                await self._play_on(self._state.hand)
            while not self._is_over():
                await self._wait_for_pace()
                await self._wait_for_disk_space()
                await self._wait_for_lobby()
                if not await self._enough_are_active():
                    break
                await self._wait_for_lease()
                if self._is_over():
                    break
                if not await self._fair.is_ready():
                    await self._free_leaving()  # who left meanwhile is not dealt in
                    continue
                await self._play_on(await self._deal())
                await asyncio.sleep(0)  # yield to the other tables of the process
            if not self.suspends_after_hand:
                table.finish(f"finished after {table.hands_completed} hands")
                await self._commit("finished", [status(table, "finished", table.message)])
        except Exception as error:
            # A bug must not end the process: this table stops with `table_error`.
            self._logger.exception("session_failed", hand=table.hand_number)
            # No message of a GameError has a card; that of anything else may have one.
            what = f"the game has a fault: {error}" if isinstance(error, GameError) else ""
            await self._stop(f"the session stopped: {what or type(error).__name__}")
        finally:
            self._sitting_out.cancel()
            self._asking.cancel()

    def _is_over(self) -> bool:
        return self.ends_after_hand or self.suspends_after_hand or not self._table.can_play_on()

    async def _stop(self, reason: str) -> None:
        table = self._table
        table.stop(reason)
        payload = TableErrorPayload(
            reason=reason,
            done="the running hand was cancelled, stacks are as before it",
            status=table.status,
        )
        await self._commit("stopped", [EventDraft("table_error", reason, payload)])

    # One hand.

    async def _deal(self) -> RunningHand:
        config, number = self._table.config, self._table.hand_number + 1
        seed = config.seed and derive_seed(config.seed, "hand", str(config.deck_of(number)))
        if not (seed or self._fair.is_wanted):
            seed = self._entropy()
        dealt = HandDealt(seed, self._table.button_rule)
        drafts = dealt.apply(self._state)
        await self._commit_record(dealt.record(), drafts)
        self._pace.published()
        assert self._state.hand is not None  # noqa: S101  it was dealt
        self._notices.dealt(self._state.hand)
        return self._state.hand

    def _play_on(self, hand: RunningHand) -> Coroutine[Any, Any, None]:
        traces = self._metrics.traces
        return self._play(hand) if traces is None else self._traced(traces, hand)

    async def _traced(self, traces: Traces, hand: RunningHand) -> None:
        with traces.span("hand", is_root=True, room=self._table.table_id, hand=hand.id) as span:
            self._journal.span = span.context
            await self._play(hand)

    async def _play(self, hand: RunningHand) -> None:
        try:
            conversations = {seat.player_id: Conversation() for seat in hand.deal.seats}
            while not hand.is_over:
                await self._decide(hand, conversations)
            settled = hand.settle()
            notices = self._notices.completed(hand)
            await self._commit(SETTLED, [*settled, *self._between_hands()])
            self._pace.completed(hand.pause_ms)
            self._notices.send(notices)
            self._metrics.hand_completed(hand.decisions)
            self._state.hand = None
        except asyncio.CancelledError:
            if not self._journal.is_durable:  # else the hand is resumed later
                await self._cancel(hand.deal.number)
            raise
        except Exception:
            await self._cancel(hand.deal.number)
            raise

    async def _cancel(self, number: int) -> None:
        table = self._table
        table.cancel(number)
        self._logger.warning("hand_cancelled", hand=number)
        cancelled = status(table, "hand_cancelled", table.message, hand_number=number)
        await self._commit("cancelled", [cancelled])
        self._state.hand = None

    async def _decide(self, hand: RunningHand, conversations: Mapping[str, Conversation]) -> None:
        """Ask the pending seats concurrently, then apply their decisions in the game's order.

        Simultaneous decisions are one record: no question may be open when one is published.
        """
        questions = [(seat, hand.question(seat, ahead)) for ahead, seat in enumerate(hand.pending)]
        while (decisions := await self._asking.decisions(questions, conversations)) is None:
            await self._wait_for_lease(hand)
            self._notices.dealt(hand)  # again, as after a restart: the first one may be lost
        active = [seat for seat, _ in questions if not seat.sits_out]
        made = DecisionsMade(decisions)
        drafts = made.apply(self._state)
        for decision in decisions:
            self._metrics.decided(decision)
        for seat in active:
            if seat.sits_out:
                self._logger.info(
                    "sat_out",
                    hand=hand.deal.number,
                    player=seat.player_id,
                    reason=seat.absence or f"{seat.failures} failures in a row",
                )
                self._sitting_out.begin(seat)
        await self._commit_record(made.record(), drafts)
        self._pace.published()

    # Between hands.

    def _between_hands(self) -> list[EventDraft]:
        """Free busted and leaving seats, rebuy, poll sitting-out seats; returns the events."""
        table = self._table
        drafts = busts(table)
        table.mark_short_stacks_leaving()
        drafts += departures(table)
        if table.hands_left > 0:
            drafts += rebuys(table)
        return drafts + self._sitting_out.poll()

    async def _enough_are_active(self) -> bool:
        """Pause while too few seats are active; returns whether play goes on."""
        table = self._table
        if len(table.active()) >= table.min_players:
            return True
        with self._waiting(WaitReason.PLAYERS_AWAY, ""):
            paused = status(table, "paused", "too few seats are active", reason="players away")
            await self._commit("paused", [paused])
            ends_at = self._clock.now() + PAUSE_LIMIT.total_seconds()
            while self._clock.now() < ends_at and not self._is_over():
                await self._clock.sleep(_PAUSE_ROUND_S)
                await self._free_leaving()
                if returned := self._sitting_out.poll():
                    await self._commit("returned", returned)
                if len(table.active()) >= table.min_players:
                    return True
        return False

    async def _wait_for_pace(self) -> None:
        """Let people see the result of a hand; who leaves meanwhile is not dealt in.

        The end of the session or of the lease ends it.
        """
        while await self._pace.wait(_RESULT_ROUND_S):
            await self._free_leaving()
            if self._is_over() or not self._asking.is_allowed():
                return

    async def _free_leaving(self) -> None:
        if left := departures(self._table):
            await self._commit("left", left)

    async def _wait_for_lobby(self) -> None:
        if not self._journal.is_backlogged():
            return
        undelivered, message = self._journal.undelivered, "the lobby does not take events"
        with self._waiting(WaitReason.LOBBY_AWAY, f"{undelivered} events are not delivered"):
            paused = status(self._table, "paused", message, reason="lobby away")
            await self._commit("paused", [paused])
            while self._journal.is_backlogged() and not self._is_over():
                await self._clock.sleep(_BACKLOG_ROUND_S)

    async def _wait_for_lease(self, hand: RunningHand | None = None) -> None:
        """Pause while the lease is over: at a decision of `hand`, or before the next deal.

        Nothing is published: the lobby could read it only when it is not true any more.
        """
        if self._asking.is_allowed():
            return
        with self._waiting(WaitReason.LEASE_OVER, f"at hand {self._table.hand_number}"):
            while not self._asking.is_allowed() and (hand is not None or not self._is_over()):
                await self._clock.sleep(_LEASE_ROUND_S)

    async def _wait_for_disk_space(self) -> None:
        if self._journal.has_disk_space():
            return
        with self._waiting(WaitReason.DISK_FULL, self._journal.place):
            while not self._journal.has_disk_space() and not self._is_over():
                await self._clock.sleep(_DISK_ROUND_S)

    # Commits.

    async def _commit(self, kind: str, drafts: Sequence[EventDraft]) -> None:
        await self._commit_record(self._state.record(kind), drafts)

    async def _commit_record(self, record: JournalRecord, drafts: Sequence[EventDraft]) -> None:
        """Commit a record with its events; while the journal fails, play pauses."""
        if self._journal.append(record, drafts) or (failed := await self._failure()) is None:
            return
        with self._waiting(WaitReason.JOURNAL_FAILED, failed):
            while failed is not None:
                await self._clock.sleep(_DISK_ROUND_S)
                failed = await self._failure()

    async def _failure(self) -> str | None:
        """Wait for the commit of what was appended; return why it failed, None if it did not."""
        try:
            await self._journal.written()
        except JournalFailed as failed:
            return str(failed)
        return None
