"""What the lobby lacks of one table's events, how it is sent alone, and what replies mean.

A lobby whose card does not declare batches gets one event a call, as the protocol document says.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

import orjson
import structlog
from casino_agentkit import Malformed, RemoteAgent, RemoteRefused
from casino_agentkit.process.background_tasks import Backoff
from casino_contracts import CasinoCallback, Reason, RecordGameEventOutput, RoomKey
from casino_contracts.events.table_event import BATCH_BYTES

from casino_table.journal.journal import Journal
from casino_table.journal.journal_log import SequencedEvent
from casino_table.table_metrics import TableMetrics

if TYPE_CHECKING:  # of the extra `traces`
    from opentelemetry.trace import SpanContext

MOST_EVENTS = 100
"""Events of a table in one call."""
BACKOFF = Backoff(first_s=0.1, slowest_s=5.0)
_PERMANENT_REASONS = {
    Reason.STALE_EPOCH,
    Reason.UNKNOWN_TABLE,
    Reason.SEQUENCE_CONFLICT,
    Reason.ROOM_CLOSED,
    Reason.EVENT_UNREADABLE,
    Reason.EVENT_TOO_LARGE,
}
SMALL_BYTES = 32 * 1024
"""After a failure: a lobby reads more than 64 KiB only of a table that it knows."""
TIMEOUT = timedelta(seconds=5)
INVALID_INPUT = -32602
_NO_WAITS = b"[]"
_BATCHES = "events"
"""The field of the callback's input that takes a batch."""
_DOCUMENT_FIELDS = ("tableId", "eventType", "message", "timestamp", "payload")

logger = structlog.get_logger(__name__)


class EventOutbox:
    """The undelivered events of one journal, for one lobby.

    `on_refused` is called with the reason code of a permanent refusal (replaced, unknown, closed).
    What takes the result of a delivery returns the seconds to wait before the next one.
    """

    def __init__(
        self,
        journal: Journal,
        callback: CasinoCallback,
        on_refused: Callable[[str], None],
        metrics: TableMetrics,
    ) -> None:
        self.callback = callback
        self.is_strict = False
        """Whether the lobby refuses fields that the protocol document does not have."""
        self.is_refused = False
        self._journal = journal
        self._on_refused = on_refused
        self._metrics = metrics
        self.traces = metrics.traces
        self._delivered = journal.delivered_until
        self._sent = self._delivered
        self._failures = 0
        """Deliveries in a row that confirmed nothing."""
        self.waits = self._sent_waits = _NO_WAITS
        """Why the table does not go on, as JSON: now, and in the last call."""
        self._told_waits = b"" if journal.last_sequence else _NO_WAITS
        """The same as the lobby knows it; empty: unknown, since the process was restarted."""
        self._progress = asyncio.Event()

    @property
    def token(self) -> str | None:
        """The token that authorizes this table to publish events; None without a room key."""
        secret = self.callback.secret
        return RoomKey(secret).events if secret else None

    @property
    def has_news(self) -> bool:
        """Whether the lobby lacks events, or does not know why the table waits."""
        last = self._journal.last_sequence
        return not self.is_refused and (
            last > self._delivered or (self.waits != self._told_waits and last > 0)
        )

    @property
    def news(self) -> bytes | None:
        """Why the table does not go on, as JSON; None if the lobby knows it."""
        return None if self.waits == self._told_waits else self.waits

    @property
    def span(self) -> "SpanContext | None":
        """The span of the table's newest hand, if hands are traced."""
        return self._journal.span

    @property
    def is_failing(self) -> bool:
        return self._failures > 0

    def events(self, most_bytes: int) -> list[SequencedEvent]:
        """Return the next events, at most so many bytes; none if the first one is larger.

        The newest is repeated if only the waits are news.
        """
        events = self._journal.after(self._delivered, MOST_EVENTS) or self._newest()
        size = 0
        for count, event in enumerate(events):
            size += len(event.content)
            if size > most_bytes:
                return events[:count]
        return events

    def _newest(self) -> list[SequencedEvent]:
        return self._journal.after(max(0, self._journal.last_sequence - 1), 1)

    def next_event(self) -> list[SequencedEvent]:
        """Return the next event, however large it is."""
        return self._journal.after(self._delivered, 1)

    def note_sent(self, events: list[SequencedEvent]) -> None:
        self._sent_waits = self.waits
        first, last = events[0].sequence, events[-1].sequence
        self._metrics.redelivered(max(0, min(self._sent, last) - first + 1))
        self._sent = max(self._sent, last)

    def confirm(self, events: list[SequencedEvent], sequence: int) -> float:
        """Note that the lobby has the events until a sequence, after a call with these.

        Of those beyond the call it cannot tell that they are the same: a table whose journal lost
        its tail plays on with the numbers of what it lost, and the lobby has to refuse that.
        """
        confirmed = min(sequence, events[-1].sequence)
        is_progress = confirmed > self._delivered or self._told_waits != self._sent_waits
        self._told_waits = self._sent_waits
        self._failures = 0 if is_progress else self._failures + 1
        self._delivered = max(self._delivered, confirmed)
        self._journal.delivered(self._delivered)
        self._progress.set()
        return 0.0 if is_progress else BACKOFF.pause_s(self._failures)

    def refuse(self, reason: str, message: str, details: Mapping[str, str]) -> float:
        """React to a refusal: stop for good, go on from the wanted event, or try again later."""
        if reason in _PERMANENT_REASONS:
            table = self._journal.table_id
            logger.error("events_refused", table=table, reason=reason, error=message)
            self.is_refused = True
            self._progress.set()
            self._on_refused(reason)
            return 0.0
        wanted = details.get("wanted", "") if reason == Reason.SEQUENCE_GAP else ""
        if not wanted.isdigit() or not self._has(int(wanted)):
            return self.fail(message)
        self._delivered = int(wanted) - 1
        if self._delivered < self._journal.delivered_until:  # the lobby lost events
            self._journal.delivered(self._delivered)
        self._failures += 1
        return 0.0 if self._failures == 1 else BACKOFF.pause_s(self._failures)

    def fail(self, error: str) -> float:
        self._failures += 1
        logger.warning(
            "delivery_failed",
            table=self._journal.table_id,
            error=error,
            undelivered=self._journal.undelivered,
        )
        return BACKOFF.pause_s(self._failures)

    def _has(self, sequence: int) -> bool:
        """Return whether the journal has an event: confirmed old sessions are deleted."""
        events = self._journal.after(sequence - 1, 1)
        return bool(events) and events[0].sequence == sequence

    def rewind(self) -> None:
        """Deliver the newest event again."""
        self._delivered = max(0, self._journal.last_sequence - 1)

    async def flush(self, timeout: timedelta | None) -> bool:
        target = self._journal.last_sequence
        try:
            async with asyncio.timeout(None if timeout is None else timeout.total_seconds()):
                while self._delivered < target and not self.is_refused:
                    self._progress.clear()
                    await self._progress.wait()
        except TimeoutError:
            return False
        return not self.is_refused


async def deliver(lobby: RemoteAgent, outbox: EventOutbox) -> float:
    """Deliver the next events; return the seconds until the next delivery. Raises AgentError."""
    most_bytes = SMALL_BYTES if outbox.is_failing else BATCH_BYTES
    events, callback = outbox.events(most_bytes) or outbox.next_event(), outbox.callback
    if takes_batches(lobby, outbox):
        return outbox.confirm(events, await deliver_batch(lobby, outbox, events))
    pause_s = 0.0
    for event in events:
        pause_s = await _deliver_single(lobby, outbox, event)
        if outbox.callback is not callback:
            break
    return pause_s


def takes_batches(lobby: RemoteAgent, outbox: EventOutbox) -> bool:
    return _BATCHES in lobby.inputs.get(outbox.callback.event_skill, ())


async def deliver_batch(
    lobby: RemoteAgent, outbox: EventOutbox, events: list[SequencedEvent]
) -> int:
    """Send events in one call; return the sequence that is confirmed. Raises AgentError."""
    outbox.note_sent(events)
    reply = await lobby.call(
        outbox.callback.event_skill,
        batch_of(events),
        RecordGameEventOutput,
        timeout=TIMEOUT,
        token=outbox.token,
    )
    return events[-1].sequence if reply.sequence is None else reply.sequence


def batch_of(
    events: list[SequencedEvent], token: str | None = None, waits: bytes | None = None
) -> bytes:
    """Return events as the JSON of a batch; they are only joined.

    `token` is that of their room, `waits` say as JSON why it does not go on.
    """
    head = b"{" if token is None else b'{"roomToken":%b,' % orjson.dumps(token)
    tail = b"}" if waits is None else b',"waits":%b}' % waits
    return b'%b"events":[%b]%b' % (head, b",".join([event.content for event in events]), tail)


async def _deliver_single(lobby: RemoteAgent, outbox: EventOutbox, event: SequencedEvent) -> float:
    """Deliver one event; any reply confirms it, because the document defines none.

    A lobby of the document ignores our additional fields. One that refuses them gets the
    document's fields alone from then on.
    """
    outbox.note_sent([event])
    try:
        await _send(lobby, outbox, event)
    except RemoteRefused as error:
        if outbox.is_strict or error.code != INVALID_INPUT:
            raise
        outbox.is_strict = True
        await _send(lobby, outbox, event)
    return outbox.confirm([event], event.sequence)


async def _send(lobby: RemoteAgent, outbox: EventOutbox, event: SequencedEvent) -> None:
    with contextlib.suppress(Malformed):  # a reply, but not ours
        await lobby.call(
            outbox.callback.event_skill,
            _document_event(event.content) if outbox.is_strict else event.content,
            RecordGameEventOutput,
            timeout=TIMEOUT,
            token=outbox.token,
        )


def _document_event(content: bytes) -> bytes:
    event = orjson.loads(content)
    return orjson.dumps({name: event[name] for name in _DOCUMENT_FIELDS if name in event})
