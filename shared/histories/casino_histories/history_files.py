"""Read a file of hands, whatever of the formats it has, and write one, hand after hand."""

from collections.abc import Iterator
from typing import IO, Final, Literal, Protocol, get_args

from casino_histories.completed_hand import HandHistory
from casino_histories.errors import UnreadableHistory
from casino_histories.history_tables import ParquetTable, Table, csv_header, csv_lines
from casino_histories.open_hand_history import ohh_text, read_ohh
from casino_histories.phh import phh, read_phhs
from casino_histories.pokerstars_reader import read_pokerstars
from casino_histories.pokerstars_writer import pokerstars_text

_HEAD = 4_000

Format = Literal["phh", "pokerstars", "ohh", "csv", "parquet"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


def read_hands(content: bytes) -> Iterator[HandHistory]:
    """Yield the hands of a file in PHH, PokerStars text, or Open Hand History.

    Raises UnreadableHistory for another format, or at a hand that cannot be read: with its line.
    """
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UnreadableHistory("the file is no text in UTF-8") from error
    head = text[:_HEAD].lstrip()
    if head.startswith(("{", "[{", "[\n", "[[")):
        return read_ohh(text)
    if head.startswith("PokerStars "):
        return read_pokerstars(text)
    if "variant" in head:
        return read_phhs(text)
    raise UnreadableHistory(
        "the format is none of PHH (.phh, .phhs), PokerStars text and Open Hand History (.ohh)"
    )


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
