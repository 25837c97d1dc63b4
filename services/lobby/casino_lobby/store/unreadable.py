"""Rows that cannot be read: they stay where they are, are left out, and are named once.

One of them costs what stood in it, and nothing else: neither the start of the lobby nor the rows
beside it.
"""

from collections import Counter
from collections.abc import Iterable

import structlog
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from pydantic import ValidationError

UNREADABLE = (ValueError, TypeError, KeyError, RecursionError)
"""What reading a row may raise."""

_FAULTS_SHOWN = 3
_LONGEST_FAULT = 200

logger = structlog.get_logger(__name__)


class UnreadableRows:
    """The rows of one store that were found unreadable."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def note(self, table: str, row: str, error: Exception | str) -> None:
        """Take note of a row; it is logged when it is found for the first time."""
        if (table, row) in self._known:
            return
        self._known.add((table, row))
        fault = error if isinstance(error, str) else fault_in(error)
        logger.error("row_unreadable", table=table, row=row, error=fault)

    def counts(self) -> dict[str, int]:
        """Return how many rows of each table were found unreadable."""
        return dict(Counter(table for table, _ in self._known))


class UnreadableCollector(Collector):
    """Tells the count when it is asked."""

    def __init__(self, rows: UnreadableRows) -> None:
        self._rows = rows

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the gauge."""
        found = GaugeMetricFamily(
            "lobby_unreadable_rows",
            "Rows of the database that cannot be read, and are left out.",
            labels=["table"],
        )
        for table, count in sorted(self._rows.counts().items()):
            found.add_metric([table], count)
        yield found


def fault_in(error: Exception) -> str:
    """Return what was wrong, without the content: it may hold a seed."""
    if isinstance(error, ValidationError):
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        told = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'content'}: {fault['msg']}"
            for fault in faults[:_FAULTS_SHOWN]
        )
    else:
        told = f"{type(error).__name__}: {error}"
    return " ".join(told.split())[:_LONGEST_FAULT]
