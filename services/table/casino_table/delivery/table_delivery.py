"""Deliver the events of one table by a call of its own, in the ways that the lobby's card declares.

A lobby whose card does not declare batches gets one event a call, as the protocol document says.
"""

import contextlib
from datetime import timedelta

import orjson
from casino_agentkit import Malformed, Peer, RemoteRefused
from casino_contracts import RecordGameEventOutput

from casino_table.delivery.outbox import Outbox
from casino_table.journal.journal_log import SequencedEvent

BATCH_BYTES = 256 * 1024
SMALL_BYTES = 32 * 1024
"""After a failure: a lobby reads more than 64 KiB only of a table that it knows."""
TIMEOUT = timedelta(seconds=5)
INVALID_INPUT = -32602
_BATCHES = "events"
"""The field of the callback's input that takes a batch."""
_DOCUMENT_FIELDS = ("tableId", "eventType", "message", "timestamp", "payload")


async def deliver(lobby: Peer, outbox: Outbox) -> float:
    """Deliver a table's next events; return the seconds to wait before the next delivery.

    Raises AgentError.
    """
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


def takes_batches(lobby: Peer, outbox: Outbox) -> bool:
    """Return whether the lobby takes several events of a table in one call."""
    return _BATCHES in lobby.inputs.get(outbox.callback.event_skill, ())


async def deliver_batch(lobby: Peer, outbox: Outbox, events: list[SequencedEvent]) -> int:
    """Send events of a table in one call, with its token; return the sequence that is confirmed.

    Raises AgentError.
    """
    outbox.note_sent(events)
    reply = await lobby.call(
        outbox.callback.event_skill,
        batch_of(events),
        RecordGameEventOutput,
        timeout=TIMEOUT,
        token=outbox.token,
    )
    return events[-1].sequence if reply.sequence is None else reply.sequence


def batch_of(events: list[SequencedEvent], token: str | None = None) -> bytes:
    """Return events as the JSON of a batch, with the token of their room; they are only joined."""
    head = b"{" if token is None else b'{"roomToken":%b,' % orjson.dumps(token)
    return b'%b"events":[%b]}' % (head, b",".join([event.content for event in events]))


async def _deliver_single(lobby: Peer, outbox: Outbox, event: SequencedEvent) -> float:
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


async def _send(lobby: Peer, outbox: Outbox, event: SequencedEvent) -> None:
    with contextlib.suppress(Malformed):  # a reply, but not ours
        await lobby.call(
            outbox.callback.event_skill,
            _document_event(event.content) if outbox.is_strict else event.content,
            RecordGameEventOutput,
            timeout=TIMEOUT,
            token=outbox.token,
        )


def _document_event(content: bytes) -> bytes:
    """Return an event with the protocol document's fields alone."""
    event = orjson.loads(content)
    return orjson.dumps({name: event[name] for name in _DOCUMENT_FIELDS if name in event})
