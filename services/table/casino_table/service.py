"""One table agent's life: configured, seated, started, closed; the use cases behind its faces."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog
from casino_agentkit import AgentClient, Refusal
from casino_contracts import (
    ConfigureTableInput,
    HandRecord,
    HandRecordInput,
    LeaveTableInput,
    PlayerRegisteredPayload,
    PlayerSeat,
    RoomKey,
    SeatPlayerInput,
    StartGameInput,
    TableSummary,
)
from casino_games.shuffle import derive_seed

from casino_table.active_table import CLOSED, CompletedHand, Configured
from casino_table.clock import Clock
from casino_table.decisions.player_directory import Roster
from casino_table.decisions.recorded import decisions_in
from casino_table.delivery.publisher import Publisher
from casino_table.domain.table import Table
from casino_table.hand_records.record import record_of
from casino_table.journal.journal import CONFIGURED, Fact, Journal, JournalFailed, Log, Record
from casino_table.metrics import Standing, TableMetrics
from casino_table.play.hand import RunningHand
from casino_table.play.recovery import recover
from casino_table.play.session import Session, departures
from casino_table.setup import is_same, opening, table_of

_ROOM_CLOSED = "ROOM_CLOSED"
FLUSH_LIMIT = timedelta(seconds=12)
"""Longer than two deliveries take: the reply to the first may be lost."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class House:
    """What every table of a process is given from outside: time, chance, and the way to others.

    `entropy` returns a fresh secret seed.
    """

    client: AgentClient
    clock: Clock
    rng: random.Random
    entropy: Callable[[], str]
    metrics: TableMetrics
    max_undelivered: int = 50_000


class TableHost:
    """Holds at most one table at a time; `log` is where its journal is kept."""

    def __init__(self, house: House, log: Log) -> None:
        self._house = house
        self._log = log
        self._roster = Roster(house.client)
        self._now: Configured | None = None
        self._last_hand: CompletedHand | None = None
        """The last one of the table that was closed last."""
        self._freeing: asyncio.Task[None] | None = None

    @property
    def table_id(self) -> str | None:
        """The table that is served at the moment."""
        return self._now.table.table_id if self._now else None

    @property
    def room_key(self) -> RoomKey | None:
        """The key of the room that is served; None: no room, or one without a key."""
        return self._now.room_key if self._now else None

    @property
    def epoch(self) -> int | None:
        """The epoch of the table that is served."""
        return self._now.table.epoch if self._now else None

    @property
    def is_free(self) -> bool:
        """Whether another room may have this table: nobody is seated and nothing is played."""
        now = self._now
        return now is None or (not now.table.seats and now.table.status != "running")

    def record_key(self, hand_id: str) -> RoomKey | None:
        """Return the key of the room in which a hand was played, None where there is none."""
        last = self._closed_hand(hand_id)
        return last.room_key if last else self.room_key

    def standing(self) -> Standing:
        """Return what the process's metrics tell of it."""
        return self._now.standing() if self._now else Standing("free")

    async def resume(self) -> None:
        """Stand where the journal ends: the same hand, the same decision."""
        _epoch, records = self._log.tail()
        if not records:
            return
        recovered = recover(records)
        now = self._begin(recovered.by, recovered.table)
        logger.info(
            "table_resumed",
            table=now.table.table_id,
            hand=now.table.hand_number,
            decisions=len(decisions_in(records)),
        )
        if now.table.status == "running":
            self._play(now, recovered.hand)
        if now.table.is_closing:
            self._end(now)

    async def configure(self, given: ConfigureTableInput, *, is_owner: bool = True) -> TableSummary:
        """Take over a room's table.

        `is_owner` tells whether the caller showed the right of the room that is served: whoever
        did not gets a table without the hands of the room before.

        The same table, epoch and config again is the same answer, and a new callback is taken; the
        newest event is told again, so that a lobby that has lost some asks for them.
        A higher epoch from the same lobby takes the table over, with the seats it gives.
        Raises Refusal: TABLE_BUSY, STALE_EPOCH, UNKNOWN_GAME, INVALID_GAME_CONFIG, INVALID_SEATS,
        JOURNAL_FAILED.
        """
        now = self._now
        if now is not None:
            if is_same(now.by, given):
                if given.casino_callback != now.by.casino_callback:
                    now.rebind(given)
                now.tell_again()
                return now.summary()
            self._refuse_unless_free(now, given)
        table = table_of(given)
        await self._let_go()
        try:
            if now is None or now.table.table_id != table.table_id or not is_owner:
                self._log.forget()
            now = self._begin(given, table)
            now.journal.commit(now.record(CONFIGURED), opening(given, table))
        except JournalFailed as failed:
            await self._let_go()
            raise _no_journal(failed) from failed
        logger.info("table_configured", table=table.table_id, epoch=table.epoch)
        return now.summary()

    async def register(self, player: SeatPlayerInput) -> PlayerSeat:
        """Seat a player; he is dealt in when his turn comes. Never waits for a game.

        Raises Refusal: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, and those of `Table.take_seat`.
        """
        now = self._open()
        seat, is_new = now.table.take_seat(player)
        seated = now.table.player_seat(seat)
        if is_new:
            self._roster.forget(seat.card_url)
            payload = PlayerRegisteredPayload(
                **seated.model_dump(by_alias=False),
                agent_card_url=seat.card_url,
                action_skill=seat.action_skill,
                plays_any_game=seat.plays_any_game or None,
            )
            told = f"{seat.display_name} takes seat {seat.number} with {seated.stack}"
            record = Record("seated", {"player": player.model_dump(mode="json")})
            try:
                now.journal.commit(record, [Fact("player_registered", told, payload)])
            except JournalFailed as failed:
                now.table.take_back_seat(seat)
                raise _no_journal(failed) from failed
        return seated

    async def leave(self, given: LeaveTableInput) -> TableSummary:
        """Free a player's seat: at once between hands, else when the running hand is over.

        Raises Refusal: NOT_CONFIGURED, UNKNOWN_PLAYER, JOURNAL_FAILED.
        """
        now = self._configured()
        seat = now.table.seat_of(given.player_id)
        is_playing = now.is_playing
        before = now.table.to_json()
        try:
            if is_playing:  # the hand has hold of the seats: nothing is to be undone
                now.journal.commit(Record("leaving", {"player_id": seat.player_id}))
                seat.is_leaving = True
            else:
                seat.is_leaving = True
                facts = departures(now.table)
                now.journal.commit(now.record("left"), facts)
        except JournalFailed as failed:
            if not is_playing:
                now.table.stand_as(before)
            raise _no_journal(failed) from failed
        return now.summary()

    async def start(self, start: StartGameInput) -> TableSummary:
        """Begin a session and answer at once; the same `requestId` again is the same session.

        Raises Refusal: NOT_CONFIGURED, CLOSING, JOURNAL_FAILED, and those of `Table.begin`.
        """
        now = self._open()
        if start.request_id is not None and start.request_id == now.table.started_by:
            return now.summary()
        before = now.table.to_json()
        now.table.begin(start)
        session = self._session(now)
        facts = session.opening()
        try:
            now.journal.compact()
            now.journal.commit(now.record("session"), facts)
        except JournalFailed as failed:
            now.table.stand_as(before)
            raise _no_journal(failed) from failed
        self._play(now, None, session)
        return now.summary()

    async def summary(self) -> TableSummary:
        """Return how the table stands."""
        if self._now is None:
            return TableSummary(
                table_id="", status="waiting", hand_count=0, players=(), message="not configured"
            )
        return self._now.summary()

    async def hand_record(self, given: HandRecordInput) -> HandRecord:
        """Return the whole record of a completed hand.

        Raises Refusal: NOT_CONFIGURED, UNKNOWN_HAND, HAND_RUNNING.
        """
        last = self._closed_hand(given.hand_id)
        records = last.kept() if last else self._configured().hand(given.hand_id)
        return await asyncio.to_thread(record_of, records)

    def _closed_hand(self, hand_id: str) -> CompletedHand | None:
        """Return the last hand of the table that was closed last, if that is the one."""
        last = self._last_hand
        is_it = last and last.hand_id == hand_id and self.table_id != last.table_id
        return last if is_it else None

    async def close(self) -> TableSummary:
        """End after the running hand: everybody leaves with his chips, the table is free again.

        Answers at once. Raises Refusal: NOT_CONFIGURED, JOURNAL_FAILED.
        """
        now = self._configured()
        if not now.table.is_closing:
            try:
                now.journal.commit(Record("closing"))
            except JournalFailed as failed:
                raise _no_journal(failed) from failed
            now.table.is_closing = True
            now.table.state = "closing"
            self._end(now)
        return now.summary()

    async def drain(self, limit: timedelta) -> None:
        """Finish the running hand and deliver what happened: the process is about to end.

        A hand that takes longer than `limit` is played on after the restart where the journal
        outlives the process; else it is cancelled, and its stacks are as before it.
        """
        now = self._now
        if now is None:
            return
        if now.session and now.playing:
            if now.journal.is_durable:
                now.session.rests_after_hand = True
            else:
                now.table.is_closing = now.session.ends_after_hand = True
            _, late = await asyncio.wait([now.playing], timeout=limit.total_seconds())
            if late:
                now.playing.cancel()
                await asyncio.wait(late)
        await now.publisher.flush(FLUSH_LIMIT)

    async def stop(self) -> None:
        """End at once."""
        await self._let_go()
        self._log.close()

    # Within.

    def _begin(self, by: ConfigureTableInput, table: Table) -> Configured:
        """Let a table publish."""
        journal = Journal(table.table_id, table.epoch, self._house.clock.timestamp, self._log)
        publisher = Publisher(
            journal,
            self._house.client,
            by.casino_callback,
            self._house.clock,
            self._house.rng,
            self._on_refused,
            self._house.metrics,
        )
        publishing = asyncio.ensure_future(publisher.run())
        self._now = Configured(by, table, journal, publisher, publishing)
        return self._now

    def _session(self, now: Configured) -> Session:
        secret = now.table.config.seed
        return Session(
            now.table,
            now.journal,
            self._roster,
            self._house.clock,
            record=now.record,
            seed_of=lambda number: (
                derive_seed(secret, "hand", str(number)) if secret else self._house.entropy()
            ),
            max_undelivered=self._house.max_undelivered,
            metrics=self._house.metrics,
        )

    def _play(
        self, now: Configured, hand: RunningHand | None, session: Session | None = None
    ) -> None:
        now.session = session or self._session(now)
        now.playing = asyncio.ensure_future(now.session.run(hand))

    def _configured(self) -> Configured:
        if self._now is None:
            raise Refusal("NOT_CONFIGURED", "Call configureTable first.")
        return self._now

    def _open(self) -> Configured:
        now = self._configured()
        if now.table.is_closing:
            raise Refusal("CLOSING", f"Table {now.table.table_id} is closing.")
        return now

    def _refuse_unless_free(self, now: Configured, given: ConfigureTableInput) -> None:
        if self.is_free:
            return
        is_same_room = (
            given.table_id == now.table.table_id and given.casino_name == now.table.casino_name
        )
        if is_same_room and (given.epoch or 1) > now.table.epoch:
            return
        raise Refusal(
            "TABLE_BUSY",
            f"This table serves {now.table.table_id} and has players; use another table.",
        )

    def _end(self, now: Configured) -> None:
        if now.session:
            now.session.ends_after_hand = True
        now.closing = asyncio.ensure_future(self._closed(now))
        now.closing.add_done_callback(_log_failure)

    async def _closed(self, now: Configured) -> None:
        if now.playing:
            await asyncio.wait([now.playing])
        if now.table.state != CLOSED:  # else that was told before a restart
            await now.settle_accounts(self._house.clock)
        # However long the lobby is away: it has to know who left with how much.
        if await now.publisher.flush(None) and self._now is now:
            self._last_hand = now.last_hand()  # the lobby may ask for it when it heard of the end
            self._log.forget()
            now.closing = None  # it is this one
            await self._let_go()

    async def _let_go(self) -> None:
        """Stop serving the table; what is undelivered stays in the journal."""
        now, self._now = self._now, None
        if now is not None:
            await now.end()

    def _on_refused(self, reason: str) -> None:
        """Stop playing for a lobby that has another table in this room's place.

        What is played beyond the lobby's record is void.
        """
        now = self._now
        if now is None:
            return
        if now.playing:
            now.playing.cancel()
        if reason == _ROOM_CLOSED:  # the lobby keeps the record; nobody plays here any more
            self._log.forget()
            self._freeing = asyncio.ensure_future(self._let_go())
            return
        now.table.status, now.table.state = "error", "replaced"
        now.table.message = f"the lobby takes no more events of this table: {reason}"
        logger.error("table_replaced", table=now.table.table_id, reason=reason)


def _no_journal(failed: JournalFailed) -> Refusal:
    return Refusal("JOURNAL_FAILED", f"Nothing was changed: {failed}.")


def _log_failure(task: "asyncio.Future[None]") -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.error("close_failed", error=repr(error))
