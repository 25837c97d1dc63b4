"""One table agent's life: configured, seated, started, closed; the use cases behind its faces."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog
from casino_agentkit import AgentClient, Refusal, Violation
from casino_contracts import (
    ConfigureTableInput,
    PlayerRegisteredPayload,
    PlayerSeat,
    SeatPlayerInput,
    StartGameInput,
    StatusKind,
    StatusPayload,
    TableSummary,
)
from casino_games import GameError, game_class
from casino_games.shuffle import derive_seed

from casino_table.clock import Clock
from casino_table.journal import Fact, Journal, MemoryJournal
from casino_table.publisher import Publisher
from casino_table.roster import Roster
from casino_table.session import Session
from casino_table.table import Table

FLUSH_LIMIT = timedelta(seconds=5)

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
    max_undelivered: int = 50_000


@dataclass
class _Configured:
    """A table with all that belongs to its epoch."""

    by: ConfigureTableInput
    table: Table
    journal: Journal
    publisher: Publisher
    publishing: asyncio.Task[None]
    session: Session | None = None
    playing: asyncio.Task[None] | None = None
    is_closing: bool = False


class TableHost:
    """Holds at most one table at a time."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._roster = Roster(house.client)
        self._now: _Configured | None = None

    @property
    def table_id(self) -> str | None:
        """The table that is served at the moment."""
        return self._now.table.table_id if self._now else None

    async def configure(self, given: ConfigureTableInput) -> TableSummary:
        """Take over a room's table.

        The same table, epoch and config again is the same answer, and a new callback is taken.
        A higher epoch from the same lobby takes the table over, with the seats it gives.
        Raises Refusal: TABLE_BUSY, STALE_EPOCH, UNKNOWN_GAME, INVALID_GAME_CONFIG, INVALID_SEATS.
        """
        now = self._now
        if now is not None:
            if _is_same(now.by, given):
                now.publisher.callback = given.casino_callback
                return now.table.summary()
            if not self._may_take_over(now, given):
                raise Refusal(
                    "TABLE_BUSY",
                    f"This table serves {now.table.table_id} and has players; use another table.",
                )
        table = _table_of(given)
        await self._let_go()
        journal = MemoryJournal(table.table_id, table.epoch, self._house.clock.timestamp)
        publisher = Publisher(
            journal,
            self._house.client,
            given.casino_callback,
            self._house.clock,
            self._house.rng,
            self._on_refused,
        )
        publishing = asyncio.ensure_future(publisher.run())
        self._now = _Configured(given, table, journal, publisher, publishing)
        self._note("configured", f"table {table.table_id} is ready")
        logger.info("table_configured", table=table.table_id, epoch=table.epoch)
        return table.summary()

    async def register(self, player: SeatPlayerInput) -> PlayerSeat:
        """Seat a player; he is dealt in when his turn comes. Never waits for a game.

        Raises Refusal: NOT_CONFIGURED, CLOSING, and those of `Table.take_seat`.
        """
        now = self._open()
        seat, is_new = now.table.take_seat(player)
        seated = now.table.player_seat(seat)
        if is_new:
            self._roster.forget(seat.card_url)
            payload = PlayerRegisteredPayload(
                **seated.model_dump(by_alias=False), agent_card_url=seat.card_url
            )
            told = f"{seat.display_name} takes seat {seat.number} with {seated.stack}"
            now.journal.append([Fact("player_registered", told, payload)])
        return seated

    async def start(self, start: StartGameInput) -> TableSummary:
        """Begin a session and answer at once.

        Raises Refusal: NOT_CONFIGURED, CLOSING, and those of `Table.begin`.
        """
        now = self._open()
        now.table.begin(start)
        secret = now.table.config.seed
        now.session = Session(
            now.table,
            now.journal,
            self._roster,
            self._house.clock,
            seed_of=lambda number: (
                derive_seed(secret, "hand", str(number)) if secret else self._house.entropy()
            ),
            max_undelivered=self._house.max_undelivered,
        )
        now.playing = asyncio.ensure_future(now.session.run())
        return now.table.summary()

    async def summary(self) -> TableSummary:
        """Return how the table stands."""
        if self._now is None:
            return TableSummary(
                table_id="", status="waiting", hand_count=0, players=(), message="not configured"
            )
        return self._now.table.summary()

    async def close(self) -> TableSummary:
        """End after the running hand: everybody leaves with his chips, the table is free again.

        Answers at once. Raises Refusal: NOT_CONFIGURED.
        """
        now = self._configured()
        if not now.is_closing:
            now.is_closing = True
            now.table.state = "closing"
            if now.session:
                now.session.ends_after_hand = True
            asyncio.ensure_future(self._closed(now)).add_done_callback(_log_failure)
        return now.table.summary()

    async def drain(self, limit: timedelta) -> None:
        """Finish the running hand and deliver what happened: the process is about to end.

        A hand that takes longer than `limit` is cancelled; its stacks are as before it.
        """
        now = self._now
        if now is None:
            return
        now.is_closing = True
        if now.session and now.playing:
            now.session.ends_after_hand = True
            _, late = await asyncio.wait([now.playing], timeout=limit.total_seconds())
            if late:
                now.playing.cancel()
                await asyncio.wait(late)
        await now.publisher.flush(FLUSH_LIMIT)

    async def stop(self) -> None:
        """End at once."""
        await self._let_go()

    # Within.

    def _configured(self) -> _Configured:
        if self._now is None:
            raise Refusal("NOT_CONFIGURED", "Call configureTable first.")
        return self._now

    def _open(self) -> _Configured:
        now = self._configured()
        if now.is_closing:
            raise Refusal("CLOSING", f"Table {now.table.table_id} is closing.")
        return now

    def _may_take_over(self, now: _Configured, given: ConfigureTableInput) -> bool:
        if not now.table.seats and now.table.status != "running":
            return True
        is_same_room = (
            given.table_id == now.table.table_id and given.casino_name == now.table.casino_name
        )
        return is_same_room and (given.epoch or 1) > now.table.epoch

    async def _closed(self, now: _Configured) -> None:
        if now.playing:
            await asyncio.wait([now.playing])
        now.table.clear()
        now.table.status, now.table.state = "idle", "closed"
        self._note("closed", f"table {now.table.table_id} is closed")
        await now.publisher.flush(FLUSH_LIMIT)
        if self._now is now:
            await self._let_go()

    async def _let_go(self) -> None:
        """Forget the table: its session ends, what is undelivered is lost with it."""
        now, self._now = self._now, None
        if now is None:
            return
        tasks = [task for task in (now.playing, now.publishing) if task and not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _on_refused(self, reason: str) -> None:
        """Stop playing for a lobby that has another table in this room's place."""
        if self._now and self._now.session:
            self._now.session.ends_after_hand = True
        logger.error("table_replaced", reason=reason)

    def _note(self, kind: StatusKind, message: str) -> None:
        now = self._configured()
        payload = StatusPayload(
            status=now.table.status, kind=kind, hand_count=now.table.hands_completed
        )
        now.journal.append([Fact("table_status", message, payload)])


def _is_same(known: ConfigureTableInput, given: ConfigureTableInput) -> bool:
    names = ("table_id", "casino_name", "config", "game_type", "game_config")
    return (known.epoch or 1) == (given.epoch or 1) and all(
        getattr(known, name) == getattr(given, name) for name in names
    )


def _table_of(given: ConfigureTableInput) -> Table:
    try:
        min_players = game_class(given.game_type).min_players
    except GameError as error:
        raise Refusal("UNKNOWN_GAME", f"{error}.", (Violation("gameType", str(error)),)) from error
    if given.game_config:
        faults = tuple(
            Violation(f"gameConfig.{name}", "is no setting of this game")
            for name in given.game_config
        )
        raise Refusal(
            "INVALID_GAME_CONFIG", f"{given.game_type} takes its settings from config.", faults
        )
    table = Table(
        table_id=given.table_id,
        casino_name=given.casino_name,
        config=given.config,
        epoch=given.epoch or 1,
        game_type=given.game_type,
        game_config=given.game_config,
        min_players=min_players,
    )
    table.restore_seats(given.seats or ())
    return table


def _log_failure(task: "asyncio.Future[None]") -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.error("close_failed", error=repr(error))
