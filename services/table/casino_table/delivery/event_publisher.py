"""Publish a table's events: from its journal to the lobby of its callback, each exactly once."""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple

import structlog
from casino_agentkit import AgentClient, AgentError, Malformed, RemoteAgent, RemoteRefused, Waits
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_agentkit.traces import Traces
from casino_contracts import (
    CasinoCallback,
    DeliveryOutcome,
    DeliveryRefused,
    RecordTableEventsOutput,
    Waiting,
    WaitReason,
)
from casino_contracts.events.table_event import BATCH_BYTES, DELIVERY_TABLES
from casino_play.turn import Clock

from casino_table.delivery.event_outbox import (
    BACKOFF,
    INVALID_INPUT,
    MOST_EVENTS,
    SMALL_BYTES,
    TIMEOUT,
    EventOutbox,
    batch_of,
    deliver,
    deliver_batch,
    takes_batches,
)
from casino_table.journal.journal import Journal
from casino_table.journal.journal_log import SequencedEvent
from casino_table.table_metrics import TableMetrics

SKILL = "recordTableEvents"
GATHER_S = 0.02
"""The shortest time between two calls: an event that comes alone is not delayed by it."""
GATHER_TABLE_S = 0.0025
"""That time for each table of the last call: else many tables have few events in each call, and
their parts cost more than the events."""
MOST_GATHER_S = 0.1

logger = structlog.get_logger(__name__)


class _TableEvents(NamedTuple):
    """The events of one table in a call."""

    outbox: EventOutbox
    callback: CasinoCallback
    events: list[SequencedEvent]


class LobbyDelivery:
    """Delivers to the lobby with one card URL, as long as a table has joined."""

    def __init__(
        self, card_url: str, client: AgentClient, clock: Clock, rng: random.Random, waits: Waits
    ) -> None:
        self._waits = waits
        self._card_url = card_url
        self._client = client
        self._clock = clock
        self._rng = rng
        self._lobby: RemoteAgent | None = None
        self._joined: set[EventOutbox] = set()
        self._ready: dict[EventOutbox, None] = {}
        """Tables with events, in the order of their turn."""
        self._busy: dict[EventOutbox, asyncio.Task[None]] = {}
        """Tables that are delivered by calls of their own, or wait after a failure."""
        self._awake = asyncio.Event()
        self._tasks = BackgroundTasks()
        self._running: asyncio.Task[None] | None = None
        self._failures = 0
        self._called_at = -math.inf
        self._called_for = 0
        """How many tables were in the last call."""
        self._has_more = False
        """Whether more events waited than fitted into the last call."""

    def join(self, outbox: EventOutbox) -> None:
        self._joined.add(outbox)
        if self._running is None:
            self._running = self._tasks.begin(self._run())
        self.wake(outbox)

    def leave(self, outbox: EventOutbox) -> bool:
        """Deliver nothing of a table any more; return whether no table is left."""
        self._joined.discard(outbox)
        self._ready.pop(outbox, None)
        if busy := self._busy.pop(outbox, None):
            busy.cancel()
        if not self._joined and self._running is not None:
            self._running.cancel()
            self._running = None
            self._waits.end(WaitReason.DELIVERY_BEHIND, self._card_url)
        return not self._joined

    def wake(self, outbox: EventOutbox) -> None:
        if outbox in self._joined and outbox not in self._busy and outbox.has_news:
            self._ready[outbox] = None
            self._awake.set()

    async def _run(self) -> None:
        while True:
            await self._awake.wait()
            await self._gather()
            try:
                lobby = await self._peer()
                if SKILL in lobby.skills:
                    await self._deliver_together(lobby)
                else:
                    self._deliver_apart(lobby, self._take_all())
            except AgentError as error:
                await self._back_off(error)
            except Exception as error:
                # A bug must not end the delivery of all tables.
                logger.exception("delivery_failed", lobby=self._card_url)
                await self._back_off(error)
            else:
                if self._failures:
                    self._failures = 0
                    self._waits.end(WaitReason.DELIVERY_BEHIND, self._card_url)
            if not self._ready:
                self._awake.clear()

    async def _gather(self) -> None:
        """Let more events come, unless the last call was long ago or left some."""
        gather_s = min(MOST_GATHER_S, max(GATHER_S, GATHER_TABLE_S * self._called_for))
        pause_s = self._called_at + gather_s - self._clock.now()
        if pause_s > 0 and not self._has_more:
            await self._clock.sleep(pause_s)
        self._called_at = self._clock.now()

    async def _peer(self) -> RemoteAgent:
        if self._lobby is None:
            self._lobby = await self._client.resolve(self._card_url, timeout=TIMEOUT)
        return self._lobby

    async def _back_off(self, error: Exception) -> None:
        self._failures += 1
        self._lobby = None  # read the card again: its address may have changed
        self._waits.begin(WaitReason.DELIVERY_BEHIND, self._card_url, str(error))
        await self._clock.sleep(BACKOFF.pause_s(self._failures) * self._rng.uniform(0.5, 1.5))

    # One call for many tables.

    async def _deliver_together(self, lobby: RemoteAgent) -> None:
        parts = self._next_parts()
        self._called_for = len(parts)
        if not parts:
            return
        try:
            outcomes = await _outcomes(lobby, parts)
        except Exception as error:
            for part in parts:
                self.wake(part.outbox)
            if not _is_of_content(error):
                raise
            # One table must not keep the others from being delivered.
            logger.warning("delivery_refused", lobby=self._card_url, error=str(error))
            self._deliver_apart(lobby, [part.outbox for part in parts])
            return
        for part, outcome in zip(parts, outcomes, strict=True):
            self._take_outcome(part, outcome)

    def _next_parts(self) -> list[_TableEvents]:
        """Return what the next call delivers: of one table after another, as much as fits."""
        parts: list[_TableEvents] = []
        most_bytes = SMALL_BYTES if self._failures else BATCH_BYTES
        for outbox in list(self._ready)[:DELIVERY_TABLES]:
            events = outbox.events(most_bytes)
            if not events and parts:
                break
            del self._ready[outbox]
            if events := events or outbox.next_event():
                parts.append(_TableEvents(outbox, outbox.callback, events))
                most_bytes -= sum(len(event.content) for event in events)
        self._has_more = bool(self._ready) or any(len(part.events) == MOST_EVENTS for part in parts)
        return parts

    def _take_outcome(self, part: _TableEvents, outcome: DeliveryOutcome) -> None:
        outbox = part.outbox
        if outbox not in self._joined or outbox.callback is not part.callback:
            self.wake(outbox)  # the reply is of another room, or of another lobby
        elif outcome.refused is not None:
            refused = outcome.refused
            self._go_on(
                outbox, outbox.refuse(refused.reason, refused.message, refused.details or {})
            )
        elif outcome.sequence is not None:
            self._go_on(outbox, outbox.confirm(part.events, outcome.sequence))
        else:
            self._go_on(outbox, outbox.fail("the lobby's outcome is empty"))

    # A call for each table.

    def _take_all(self) -> list[EventOutbox]:
        outboxes = list(self._ready)
        self._ready.clear()
        self._has_more = False
        return outboxes

    def _deliver_apart(self, lobby: RemoteAgent, outboxes: Iterable[EventOutbox]) -> None:
        """Begin to deliver tables by calls of their own, at the same time."""
        for outbox in outboxes:
            if outbox in self._joined and outbox not in self._busy:
                self._ready.pop(outbox, None)
                self._busy[outbox] = self._tasks.begin(self._deliver_one(lobby, outbox))

    async def _deliver_one(self, lobby: RemoteAgent, outbox: EventOutbox) -> None:
        try:
            pause_s = await deliver(lobby, outbox)
        except RemoteRefused as refusal:
            pause_s = outbox.refuse(refusal.reason, str(refusal), refusal.details)
        except AgentError as error:
            pause_s = outbox.fail(str(error))
            self._lobby = None  # read the card again: its address may have changed
        await self._return_after(outbox, pause_s)

    def _go_on(self, outbox: EventOutbox, pause_s: float) -> None:
        if pause_s and outbox in self._joined:
            self._busy[outbox] = self._tasks.begin(self._return_after(outbox, pause_s))
        else:
            self.wake(outbox)

    async def _return_after(self, outbox: EventOutbox, pause_s: float) -> None:
        if pause_s:
            await self._clock.sleep(pause_s * self._rng.uniform(0.5, 1.5))
        self._busy.pop(outbox, None)
        self.wake(outbox)


def _outcomes(
    lobby: RemoteAgent, parts: Sequence[_TableEvents]
) -> Awaitable[Sequence[DeliveryOutcome]]:
    """Send parts in one call, in a span if there are traces. Raises AgentError."""
    traces = parts[0].outbox.traces
    return _untraced(lobby, parts) if traces is None else _traced(traces, lobby, parts)


async def _traced(
    traces: Traces, lobby: RemoteAgent, parts: Sequence[_TableEvents]
) -> Sequence[DeliveryOutcome]:
    hands = [part.outbox.span for part in parts if part.outbox.span is not None]
    with traces.span(
        "delivery",
        parent=hands[0] if hands else None,
        is_root=not hands,
        links=hands[1:],
        kind="client",
        tables=len(parts),
        events=sum(len(part.events) for part in parts),
    ):
        return await _untraced(lobby, parts)


async def _untraced(lobby: RemoteAgent, parts: Sequence[_TableEvents]) -> Sequence[DeliveryOutcome]:
    outbox = parts[0].outbox
    if len(parts) == 1 and outbox.news is None and takes_batches(lobby, outbox):
        return [await _call_alone(lobby, parts[0])]
    return await _call(lobby, parts)


async def _call_alone(lobby: RemoteAgent, part: _TableEvents) -> DeliveryOutcome:
    """Send the events of one table as its callback says. Raises AgentError but RemoteRefused."""
    try:
        sequence = await deliver_batch(lobby, part.outbox, part.events)
    except RemoteRefused as refusal:
        details = dict(refusal.details)
        return DeliveryOutcome(
            refused=DeliveryRefused(reason=refusal.reason, message=str(refusal), details=details)
        )
    return DeliveryOutcome(sequence=sequence)


async def _call(lobby: RemoteAgent, parts: Sequence[_TableEvents]) -> Sequence[DeliveryOutcome]:
    """Send parts in one call; return the outcome of each. Raises AgentError."""
    for part in parts:
        part.outbox.note_sent(part.events)
    contents = [batch_of(part.events, part.outbox.token, part.outbox.news) for part in parts]
    content = b'{"tables":[%b]}' % b",".join(contents)
    reply = await lobby.call(
        SKILL, content, RecordTableEventsOutput, timeout=TIMEOUT, token=parts[0].outbox.token
    )
    if len(reply.tables) != len(parts):
        raise Malformed(lobby.url, f"{len(reply.tables)} outcomes for {len(parts)} tables")
    return reply.tables


def _is_of_content(error: Exception) -> bool:
    """Return whether a call failed because of what it said, or of what was replied to it."""
    return isinstance(error, Malformed) or (
        isinstance(error, RemoteRefused) and error.code == INVALID_INPUT
    )


class EventDelivery:
    """The deliveries of a process, one for each lobby: none delays another."""

    def __init__(
        self, client: AgentClient, clock: Clock, rng: random.Random, waits: Waits | None = None
    ) -> None:
        self._waits = waits or Waits()
        self._client = client
        self._clock = clock
        self._rng = rng
        self._lobbies: dict[str, LobbyDelivery] = {}

    def join(self, card_url: str, outbox: EventOutbox) -> LobbyDelivery:
        lobby = self._lobbies.get(card_url)
        if lobby is None:
            lobby = LobbyDelivery(card_url, self._client, self._clock, self._rng, self._waits)
            self._lobbies[card_url] = lobby
        lobby.join(outbox)
        return lobby

    def leave(self, card_url: str, outbox: EventOutbox) -> None:
        lobby = self._lobbies.get(card_url)
        if lobby is not None and lobby.leave(outbox):
            del self._lobbies[card_url]


class Publisher:
    """Publishes one journal; `on_refused` gets the reason of a permanent refusal."""

    def __init__(
        self,
        journal: Journal,
        callback: CasinoCallback,
        delivery: EventDelivery,
        on_refused: Callable[[str], None],
        metrics: TableMetrics,
    ) -> None:
        self._outbox = EventOutbox(journal, callback, on_refused, metrics)
        self._journal = journal
        self._delivery = delivery
        self._lobby: LobbyDelivery | None = None

    @property
    def is_refused(self) -> bool:
        return self._outbox.is_refused

    def start(self) -> None:
        """Deliver all undelivered events, and new ones, until `stop`."""
        card_url = self._outbox.callback.agent_card_url
        lobby = self._lobby = self._delivery.join(card_url, self._outbox)
        self._journal.on_events = lambda: lobby.wake(self._outbox)

    def stop(self) -> None:
        self._delivery.leave(self._outbox.callback.agent_card_url, self._outbox)
        self._lobby = None

    def rebind(self, callback: CasinoCallback) -> None:
        moves = callback.agent_card_url != self._outbox.callback.agent_card_url
        if moves and self._lobby is not None:
            self.stop()
            self._outbox.callback = callback
            self.start()
        else:
            self._outbox.callback = callback

    def redeliver_newest(self) -> None:
        self._outbox.rewind()
        if self._lobby is not None:
            self._lobby.wake(self._outbox)

    def tell(self, waits: Sequence[Waiting]) -> None:
        """Tell the lobby why the table does not go on, or that it does."""
        self._outbox.waits = b"[%b]" % b",".join([wait.wire() for wait in waits])
        if self._lobby is not None:
            self._lobby.wake(self._outbox)

    async def flush(self, timeout: timedelta | None) -> bool:
        return await self._outbox.flush(timeout)
