"""Deliver journal events to the lobby: ordered, batched, at-least-once, off the game loop."""

import asyncio
import random
from collections.abc import Callable
from datetime import timedelta

import structlog
from casino_agentkit import AgentClient, AgentError, Peer, RemoteRefused
from casino_contracts import CasinoCallback, RecordGameEventOutput, RoomKey

from casino_table.clock import Clock
from casino_table.journal.journal import Journal, SequencedEvent
from casino_table.metrics import TableMetrics

BATCH_EVENTS = 100
BATCH_BYTES = 256 * 1024
_GATHER_S = 0.02
_TIMEOUT = timedelta(seconds=5)
_FIRST_RETRY_S, _SLOWEST_RETRY_S = 0.1, 5.0
_PERMANENT_REASONS = {
    "STALE_EPOCH",
    "UNKNOWN_TABLE",
    "SEQUENCE_CONFLICT",
    "ROOM_CLOSED",
    "EVENT_UNREADABLE",
    "EVENT_TOO_LARGE",
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
        self._logger = logger.bind(table=journal.table_id)
        self._lobby: tuple[str, Peer] | None = None
        self._delivered = journal.delivered_until
        self._sent = self._delivered
        self._progress = asyncio.Event()
        self.is_refused = False

    async def run(self) -> None:
        """Deliver events until cancelled, or until the lobby refuses permanently."""
        retry_s = _FIRST_RETRY_S
        while not self.is_refused:
            await self._journal.wait_for_event(self._delivered)
            if self._journal.last_sequence - self._delivered < BATCH_EVENTS:
                await self._clock.sleep(_GATHER_S)  # gather more events into the batch
            try:
                await self._deliver()
            except AgentError as error:
                if not self._handled(error):
                    await self._clock.sleep(retry_s * self._rng.uniform(0.5, 1.5))
                    retry_s = min(2 * retry_s, _SLOWEST_RETRY_S)
            else:
                retry_s = _FIRST_RETRY_S

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
        lobby = await self._peer()
        self._metrics.redelivered(sum(entry.sequence <= self._sent for entry in batch))
        self._sent = max(self._sent, batch[-1].sequence)
        reply = await lobby.call(
            self.callback.event_skill,
            b'{"events":[' + b",".join(entry.content for entry in batch) + b"]}",
            RecordGameEventOutput,
            timeout=_TIMEOUT,
            token=self._events_token(),
        )
        # A lobby that knows only the protocol document confirms without a number.
        confirmed = reply.sequence if reply.sequence is not None else batch[-1].sequence
        self._advance(min(confirmed, self._journal.last_sequence))

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
        if isinstance(error, RemoteRefused) and reason == "SEQUENCE_GAP":
            wanted = error.details.get("wanted", "")
            if wanted.isdigit() and self._has(int(wanted)):
                self._delivered = int(wanted) - 1
                return True
        if reason in _PERMANENT_REASONS:
            self._logger.error("events_refused", reason=reason, error=str(error))
            self.is_refused = True
            self._progress.set()
            self._on_refused(reason)
            return True
        self._logger.warning(
            "delivery_failed", error=str(error), undelivered=self._journal.undelivered
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


def _fitting(entries: list[SequencedEvent]) -> list[SequencedEvent]:
    """Return the first entries that fit into one batch, at least one."""
    size = 0
    for count, entry in enumerate(entries):
        size += len(entry.content)
        if size > BATCH_BYTES and count:
            return entries[:count]
    return entries
