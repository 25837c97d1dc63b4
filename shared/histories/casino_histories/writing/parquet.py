"""Write rows as Parquet; needs the extra `parquet` (pyarrow), which is imported when it is used."""

from decimal import Decimal
from typing import IO, Any

from casino_histories.errors import NotExportable, ParquetMissing
from casino_histories.hand import HandHistory
from casino_histories.writing.rows import COLUMNS, Table, rows_of

_ROWS = 50_000
"""Rows of a group: what is in memory at a time."""
_DIGITS = 25


class ParquetTable:
    """A table that is written to a file in groups of rows, so that memory stays flat.

    Amounts are int64 where the unit is whole (`decimals` 0), else decimal128 with so many decimals.
    Raises ParquetMissing.
    """

    def __init__(self, file: IO[bytes], table: Table = "players", decimals: int = 0) -> None:
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
        self._arrow = pa
        self._schema = pa.schema([(column.name, types[column.type]) for column in columns])
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._table = table
        self._decimals = decimals
        self._amounts = [column.type == "amount" for column in columns]
        self._rows: list[tuple[Any, ...]] = []

    def add(self, hand: HandHistory) -> None:
        """Write the rows of a hand; raises NotExportable if it has too many decimals."""
        if hand.decimals > self._decimals:
            raise NotExportable(f"it has amounts with more than {self._decimals} decimals")
        self._rows += (self._values(hand, row) for row in rows_of(hand, self._table))
        if len(self._rows) >= _ROWS:
            self._write()

    def close(self) -> None:
        """Write the rest, and end the file, which stays open."""
        if self._rows:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        arrays = [
            self._arrow.array(values, self._schema.field(number).type)
            for number, values in enumerate(zip(*self._rows, strict=True))
        ]
        self._writer.write_table(self._arrow.table(arrays, schema=self._schema))
        self._rows.clear()

    def _values(self, hand: HandHistory, row: tuple[Any, ...]) -> tuple[Any, ...]:
        cells = zip(self._amounts, row, strict=True)
        return tuple(
            (Decimal(value).scaleb(-hand.decimals) if self._decimals else value)
            if is_amount
            else (_text(value) if isinstance(value, str) else value)
            for is_amount, value in cells
        )


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
