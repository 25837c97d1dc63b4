"""Deliver journal events to the lobby: ordered, batched, at-least-once, off the game loop.

A lobby whose card does not declare batches gets one event a call, as the protocol document says.
"""

import asyncio
import contextlib
import random
from collections.abc import Callable
from datetime import timedelta

import orjson
import structlog
from casino_agentkit import AgentClient, AgentError, Malformed, Peer, RemoteRefused
from casino_agentkit.client.backoff import Backoff
from casino_contracts import CasinoCallback, Reason, RecordGameEventOutput, RoomKey
from casino_play.clock import Clock

from casino_table.journal.journal import Journal, SequencedEvent
from casino_table.metrics import TableMetrics

BATCH_EVENTS = 100
BATCH_BYTES = 256 * 1024
_GATHER_S = 0.02
_TIMEOUT = timedelta(seconds=5)
_BACKOFF = Backoff(first_s=0.1, slowest_s=5.0)
_BATCHES = "events"
"""The field of the callback's input that takes a batch."""
_DOCUMENT_FIELDS = ("tableId", "eventType", "message", "timestamp", "payload")
_INVALID_INPUT = -32602
_PERMANENT_REASONS = {
    Reason.STALE_EPOCH,
    Reason.UNKNOWN_TABLE,
    Reason.SEQUENCE_CONFLICT,
    Reason.ROOM_CLOSED,
    Reason.EVENT_UNREADABLE,
    Reason.EVENT_TOO_LARGE,
}

logger = structlog.get_logger(__name__)


class Publisher:
    """Deliver one journal to one lobby.

    `on_refused` is called with the reason code of a permanent refusal (replaced, unknown, closed).
    """

    def __init__(
        self,
        journal: Journal,
        client: AgentClient,
        callback: CasinoCallback,
        clock: Clock,
        rng: random.Random,
        on_refused: Callable[[str], None],
        metrics: TableMetrics,
    ) -> None:
        self.callback = callback
        self._journal = journal
        self._client = client
        self._clock = clock
        self._rng = rng
        self._on_refused = on_refused
        self._metrics = metrics
        self._lobby: tuple[str, Peer] | None = None
        self._delivered = journal.delivered_until
        self._sent = self._delivered
        self._progress = asyncio.Event()
        self._is_strict = False
        """Whether the lobby refuses fields that the protocol document does not have."""
        self.is_refused = False

    async def run(self) -> None:
        """Deliver events until cancelled, or until the lobby refuses permanently."""
        failures = 0
        while not self.is_refused:
            await self._journal.wait_for_event(self._delivered)
            if self._journal.last_sequence - self._delivered < BATCH_EVENTS:
                await self._clock.sleep(_GATHER_S)  # gather more events into the batch
            try:
                await self._deliver()
            except AgentError as error:
                if not self._handled(error):
                    failures += 1
                    pause_s = _BACKOFF.pause_s(failures) * self._rng.uniform(0.5, 1.5)
                    await self._clock.sleep(pause_s)
            else:
                failures = 0

    def rewind(self) -> None:
        """Deliver the newest event again in the next run."""
        self._delivered = max(0, self._journal.last_sequence - 1)

    async def flush(self, timeout: timedelta | None) -> bool:
        """Wait until all current events are delivered; False on timeout or refusal."""
        target = self._journal.last_sequence
        try:
            async with asyncio.timeout(None if timeout is None else timeout.total_seconds()):
                while self._delivered < target and not self.is_refused:
                    self._progress.clear()
                    await self._progress.wait()
        except TimeoutError:
            return False
        return not self.is_refused

    async def _deliver(self) -> None:
        batch = _fitting(self._journal.after(self._delivered, BATCH_EVENTS))
        lobby, callback = await self._peer(), self.callback
        if _BATCHES not in lobby.inputs.get(callback.event_skill, ()):
            for entry in batch:
                await self._deliver_single(lobby, entry)
                if self.callback is not callback:
                    return
            return
        self._note_sent(batch[0], batch[-1])
        reply = await lobby.call(
            callback.event_skill,
            b'{"events":[' + b",".join(entry.content for entry in batch) + b"]}",
            RecordGameEventOutput,
            timeout=_TIMEOUT,
            token=self._events_token(),
        )
        confirmed = reply.sequence if reply.sequence is not None else batch[-1].sequence
        self._advance(min(confirmed, self._journal.last_sequence))

    async def _deliver_single(self, lobby: Peer, entry: SequencedEvent) -> None:
        """Deliver one event; any reply confirms it, because the document defines none.

        A lobby of the document ignores our additional fields. One that refuses them gets the
        document's fields alone from then on.
        """
        self._note_sent(entry, entry)
        try:
            await self._send(lobby, entry)
        except RemoteRefused as error:
            if self._is_strict or error.code != _INVALID_INPUT:
                raise
            self._is_strict = True
            await self._send(lobby, entry)
        self._advance(entry.sequence)

    async def _send(self, lobby: Peer, entry: SequencedEvent) -> None:
        with contextlib.suppress(Malformed):  # a reply, but not ours
            await lobby.call(
                self.callback.event_skill,
                _document_event(entry.content) if self._is_strict else entry.content,
                RecordGameEventOutput,
                timeout=_TIMEOUT,
                token=self._events_token(),
            )

    def _note_sent(self, first: SequencedEvent, last: SequencedEvent) -> None:
        self._metrics.redelivered(max(0, min(self._sent, last.sequence) - first.sequence + 1))
        self._sent = max(self._sent, last.sequence)

    def _events_token(self) -> str | None:
        """Return the token that authorizes this table to publish events; None without a key."""
        secret = self.callback.secret
        return RoomKey(secret).events if secret else None

    async def _peer(self) -> Peer:
        url = self.callback.agent_card_url
        if self._lobby is None or self._lobby[0] != url:
            self._lobby = (url, await self._client.resolve(url, timeout=_TIMEOUT))
        return self._lobby[1]

    def _handled(self, error: AgentError) -> bool:
        """React to an error of the lobby; False if the delivery must be retried later."""
        reason = error.reason if isinstance(error, RemoteRefused) else ""
        if isinstance(error, RemoteRefused) and reason == Reason.SEQUENCE_GAP:
            wanted = error.details.get("wanted", "")
            if wanted.isdigit() and self._has(int(wanted)):
                self._delivered = int(wanted) - 1
                if self._delivered < self._journal.delivered_until:  # the lobby lost events
                    self._journal.delivered(self._delivered)
                return True
        if reason in _PERMANENT_REASONS:
            logger.error(
                "events_refused", table=self._journal.table_id, reason=reason, error=str(error)
            )
            self.is_refused = True
            self._progress.set()
            self._on_refused(reason)
            return True
        logger.warning(
            "delivery_failed",
            table=self._journal.table_id,
            error=str(error),
            undelivered=self._journal.undelivered,
        )
        self._lobby = None  # resolve the card again: its address may have changed
        return False

    def _has(self, sequence: int) -> bool:
        """Return whether the journal has an event: confirmed old sessions are deleted."""
        entries = self._journal.after(sequence - 1, 1)
        return bool(entries) and entries[0].sequence == sequence

    def _advance(self, sequence: int) -> None:
        self._delivered = max(self._delivered, sequence)
        self._journal.delivered(self._delivered)
        self._progress.set()


def _document_event(content: bytes) -> bytes:
    """Return an event with the protocol document's fields alone."""
    event = orjson.loads(content)
    return orjson.dumps({name: event[name] for name in _DOCUMENT_FIELDS if name in event})


def _fitting(entries: list[SequencedEvent]) -> list[SequencedEvent]:
    """Return the first entries that fit into one batch, at least one."""
    size = 0
    for count, entry in enumerate(entries):
        size += len(entry.content)
        if size > BATCH_BYTES and count:
            return entries[:count]
    return entries
