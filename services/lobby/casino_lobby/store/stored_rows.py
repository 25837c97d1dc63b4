"""How rows are stored and read: events as compressed JSON of the wire, verified by reading it back.

An unreadable row affects only its own data: the lobby starts, and all other rows are used. It is
logged once and counted, not changed or deleted.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import orjson
import structlog
from casino_agentkit import CommandRefused, Violation
from casino_agentkit.violations import violations_text
from casino_contracts import Reason, TableEvent
from casino_contracts.events.table_event import EVENT_BYTES
from casino_storage.record_compressor import RecordCompressor
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from pydantic import ValidationError

from casino_lobby.domain.reported_event import DecodedEvent, ReportedEvent, model_of

UNREADABLE = (ValueError, TypeError, KeyError, RecursionError)
"""Exceptions that reading a row may raise."""

_FAULTS_SHOWN = 3
_LONGEST_FAULT = 200

logger = structlog.get_logger(__name__)


class UnreadableRows:
    """The unreadable rows of one store."""

    def __init__(self) -> None:
        self._noted: set[tuple[str, str]] = set()

    def note(self, table: str, row: str, error: Exception | str) -> None:
        """Record a row; it is logged the first time."""
        if (table, row) in self._noted:
            return
        self._noted.add((table, row))
        fault = error if isinstance(error, str) else fault_in(error)
        logger.error("row_unreadable", table=table, row=row, error=fault)

    def counts(self) -> dict[str, int]:
        return dict(Counter(table for table, _ in self._noted))


class UnreadableCollector(Collector):
    """Exports the counts as a gauge at each scrape."""

    def __init__(self, rows: UnreadableRows) -> None:
        self._rows = rows

    def collect(self) -> Iterable[GaugeMetricFamily]:
        gauge = GaugeMetricFamily(
            "lobby_unreadable_rows",
            "Rows of the database that cannot be read and are skipped.",
            labels=["table"],
        )
        for table, count in sorted(self._rows.counts().items()):
            gauge.add_metric([table], count)
        yield gauge


def fault_in(error: Exception) -> str:
    """Describe an error without the row's content, which may include a seed."""
    if isinstance(error, ValidationError):
        text = violations_text(error, "content", at_most=_FAULTS_SHOWN)
    else:
        text = f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:_LONGEST_FAULT]


class _Compressors(threading.local):
    """A compressor for each thread."""

    def __init__(self) -> None:
        self.own = RecordCompressor()


_compressors: Final = _Compressors()


def packed(content: bytes) -> bytes:
    return _compressors.own.compress(content)


def all_packed(contents: Sequence[bytes]) -> list[bytes]:
    """Return the stored forms of JSON texts, in less time than one by one."""
    return _compressors.own.compress_all(contents)


def unpacked(stored: Any) -> bytes:
    """Return the JSON of a stored form. Raises DamagedRecord, and TypeError if it is none."""
    if isinstance(stored, bytes):
        return _compressors.own.decompress(stored)
    raise TypeError("it is not binary")


_NAMES = {name: field.alias or name for name, field in TableEvent.model_fields.items()}

Writing = Callable[[ReportedEvent], bytes]
"""Returns the stored form of an event; raises CommandRefused if it cannot be stored."""


def read(content: str | bytes) -> TableEvent:
    """Return the event of JSON; raises one of UNREADABLE."""
    return TableEvent.model_validate_json(content)


def read_row(row: Any, unreadable: UnreadableRows) -> TableEvent | None:
    """Return the event of a row of `event`; None if it is unreadable, which is noted."""
    try:
        event = read(unpacked(row.content))
        if not is_whole(row.epoch, row.sequence):
            raise TypeError("its epoch or sequence is no number")
        if event.sequence not in {None, row.sequence}:
            raise ValueError("it is the content of another event")
    except UNREADABLE as error:
        unreadable.note("event", f"{row.room_id} {row.epoch}/{row.sequence}", error)
        return None
    return event


def is_whole(*values: object) -> bool:
    """Return whether columns hold integers; SQLite accepts any type in any column."""
    return all(type(value) is int for value in values)


def written(event: ReportedEvent) -> bytes:
    """Return an event's JSON without verification, three times as fast as the model's own."""
    return event.content if isinstance(event, DecodedEvent) else _json(model_of(event))


def proved(event: ReportedEvent) -> bytes:
    """Return an event's JSON after checking that it reads back as the same event.

    JSON writers and readers have different limits; an event that only the writer accepts would be
    lost. One that was decoded from this very JSON needs no check.
    Raises CommandRefused: EVENT_UNREADABLE, EVENT_TOO_LARGE.
    """
    if isinstance(event, DecodedEvent):
        content, fault = event.content, None
    else:
        content, fault = _read_back(model_of(event))
    if fault is None and len(content) <= EVENT_BYTES:
        return content
    subject = f"Event {event.sequence} of table {event.table_id}"
    if fault is not None:
        raise CommandRefused(
            Reason.EVENT_UNREADABLE,
            f"{subject} could not be read back, so none of its batch was accepted: {fault}.",
            (Violation("payload", fault),),
        )
    raise CommandRefused(
        Reason.EVENT_TOO_LARGE,
        f"{subject} has {len(content)} bytes, at most {EVENT_BYTES} are allowed; none of its"
        " batch was accepted.",
        (Violation("payload", f"at most {EVENT_BYTES} bytes with the rest of the event"),),
    )


def _read_back(event: TableEvent) -> tuple[bytes, str | None]:
    """Return an event's JSON, and why it does not read back as the same event."""
    try:
        content = _json(event)
        is_same = read(content).__dict__ == event.__dict__
    except ValidationError as error:
        return b"", fault_in(error)
    except UNREADABLE:  # Python's own message is not disclosed
        return b"", "it is no JSON that can be written and read"
    return content, None if is_same else "reading it back yields another event"


def _json(event: TableEvent) -> bytes:
    values = {_NAMES[name]: value for name, value in event.__dict__.items() if value is not None}
    try:
        return orjson.dumps(values)
    except orjson.JSONEncodeError:  # a number of more than 64 bits
        return event.wire()
