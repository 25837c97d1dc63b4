"""Write rows as Parquet; needs the extra `parquet` (pyarrow), which is imported when it is used."""

from collections.abc import Iterable
from decimal import Decimal
from itertools import islice
from typing import IO, Any

from casino_histories.errors import HistoryError
from casino_histories.hand import HandHistory
from casino_histories.writing.rows import COLUMNS, Table, all_rows

_ROWS = 50_000
"""Rows of a group: what is in memory at a time."""
_DIGITS = 25


class ParquetMissing(HistoryError):
    """pyarrow is not installed."""


def write_parquet(
    hands: Iterable[HandHistory], file: IO[bytes], table: Table = "players", *, decimals: int = 0
) -> int:
    """Write a table to a file; returns the number of rows.

    Amounts are int64 where the unit is whole (`decimals` 0), else decimal128 with so many decimals.
    Raises ParquetMissing, and HistoryError for a hand with more decimals.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise ParquetMissing(
            "Parquet needs pyarrow: install it with `pip install 'a2a-casino[parquet]'`"
        ) from error
    types: dict[str, Any] = {
        "text": pa.string(),
        "whole": pa.int64(),
        "amount": pa.decimal128(_DIGITS, decimals) if decimals else pa.int64(),
        "flag": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    columns = COLUMNS[table]
    schema = pa.schema([(column.name, types[column.type]) for column in columns])
    amounts = [column.type == "amount" for column in columns]
    rows = (_values(hand, row, amounts, decimals) for hand, row in all_rows(hands, table))
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(rows, _ROWS)):
            count += len(group)
            by_column = zip(*group, strict=True)
            arrays = [
                pa.array(values, schema.field(number).type)
                for number, values in enumerate(by_column)
            ]
            writer.write_table(pa.table(arrays, schema=schema))
    return count


def _values(
    hand: HandHistory, row: tuple[Any, ...], amounts: list[bool], decimals: int
) -> tuple[Any, ...]:
    if hand.decimals > decimals:
        raise HistoryError(f"hand {hand.hand_id[:64]} has more than {decimals} decimals")
    return tuple(
        (Decimal(value).scaleb(-hand.decimals) if decimals else value)
        if is_amount
        else (_text(value) if isinstance(value, str) else value)
        for is_amount, value in zip(amounts, row, strict=True)
    )


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
