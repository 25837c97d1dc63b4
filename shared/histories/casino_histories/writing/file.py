"""Write hands to a file, one after the other, in any of the formats."""

from typing import IO, Final, Literal, Protocol, get_args

from casino_histories.hand import HandHistory
from casino_histories.writing.csv_file import csv_header, csv_lines
from casino_histories.writing.ohh import ohh_text
from casino_histories.writing.parquet import ParquetTable
from casino_histories.writing.phh import phh
from casino_histories.writing.pokerstars import pokerstars_text
from casino_histories.writing.rows import Table

Format = Literal["phh", "pokerstars", "ohh", "csv", "parquet"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


class HandFile(Protocol):
    """A file to which hands are added."""

    def add(self, hand: HandHistory) -> None:
        """Write a hand; raises NotExportable."""
        ...

    def close(self) -> None:
        """Write what is left; the file itself stays open."""
        ...


class TextFile:
    """A file of one of the text formats, in UTF-8."""

    def __init__(self, file: IO[bytes], form: Format, table: Table = "players") -> None:
        self._file = file
        self._form = form
        self._table = table
        self._count = 0
        if form == "csv":
            self._write(csv_header(table))

    def add(self, hand: HandHistory) -> None:
        """Write a hand."""
        self._count += 1
        match self._form:
            case "phh":
                self._write(f"[{self._count}]\n{phh(hand)}\n")
            case "pokerstars":
                self._write(f"{pokerstars_text(hand)}\n\n")
            case "ohh":
                self._write(f"{ohh_text(hand)}\n")
            case _:
                self._write(csv_lines(hand, self._table))

    def close(self) -> None:
        """Do nothing: every hand is written at once."""

    def _write(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "replace"))


def hand_file(
    file: IO[bytes], form: Format, table: Table = "players", *, decimals: int = 0
) -> HandFile:
    """Return a file in a format; `table` is that of CSV and Parquet, `decimals` of Parquet.

    Raises ParquetMissing.
    """
    if form == "parquet":
        return ParquetTable(file, table, decimals)
    return TextFile(file, form, table)
