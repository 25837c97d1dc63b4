"""Bookkeeping of unreadable database rows: skipped, logged once, and counted.

Such a row affects only its own data: the lobby starts, and all other rows are used. It is not
changed or deleted.
"""

from collections import Counter
from collections.abc import Iterable

import structlog
from casino_agentkit.violations import violations_text
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from pydantic import ValidationError

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
