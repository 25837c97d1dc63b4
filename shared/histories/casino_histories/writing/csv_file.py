"""Write rows as CSV (RFC 4180) in which no text of a player can be a formula."""

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from casino_histories.amounts import amount_text
from casino_histories.hand import HandHistory
from casino_histories.writing.rows import COLUMNS, ColumnType, Table, rows_of

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins so for a formula."""


def csv_texts(hands: Iterable[HandHistory], table: Table = "players") -> Iterator[str]:
    """Yield the header, and then the lines of each hand."""
    columns = COLUMNS[table]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([column.name for column in columns])
    yield _taken(buffer)
    types = [column.type for column in columns]
    for hand in hands:
        for row in rows_of(hand, table):
            cells = zip(types, row, strict=True)
            writer.writerow([_cell(kind, value, hand.decimals) for kind, value in cells])
        yield _taken(buffer)


def safe_text(text: str) -> str:
    """Return a text that is no formula: an apostrophe is put before it if it would be one.

    NUL is left out, which no reader takes.
    """
    text = text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cell(kind: ColumnType, value: object, decimals: int) -> object:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return amount_text(value, decimals) if kind == "amount" else value
    return safe_text(str(value))


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text
