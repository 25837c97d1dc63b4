"""Write rows as CSV (RFC 4180) in which no text of a player can be a formula."""

import csv
import io
from collections.abc import Iterable
from datetime import UTC, datetime

from casino_histories.amounts import amount_text
from casino_histories.hand import HandHistory
from casino_histories.writing.rows import COLUMNS, ColumnType, Table, rows_of

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins so for a formula."""


def csv_header(table: Table = "players") -> str:
    """Return the first line: the names of the columns."""
    return _line([column.name for column in COLUMNS[table]])


def csv_lines(hand: HandHistory, table: Table = "players") -> str:
    """Return the lines of a hand."""
    types = [column.type for column in COLUMNS[table]]
    return "".join(
        _line(_cell(kind, value, hand.decimals) for kind, value in zip(types, row, strict=True))
        for row in rows_of(hand, table)
    )


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


def _line(cells: Iterable[object]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue()
