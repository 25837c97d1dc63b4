"""How rows are stored and read: events as compressed JSON of the wire, verified by reading it back.

An unreadable row affects only its own data: the lobby starts, and all other rows are used. It is
logged once and counted, not changed or deleted.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import structlog
from casino_contracts import TableEvent
from casino_storage.record_compressor import RecordCompressor
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from casino_lobby.domain.reported_event import read
from casino_lobby.errors import UNREADABLE, fault_in

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
