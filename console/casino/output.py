"""Write lines, tables and JSON to a terminal, or without colour or wrapping to a pipe."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from casino_contracts import WireModel
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from casino.formatting import plain

_PIPE_WIDTH = 1000  # columns, so that tables are not cut in a pipe
_GAP = "  "
_MIN_LAST_WIDTH = 12
"""Minimum width of the last column, which may be wrapped; below it rows are written as records."""


class Output:
    """Standard output."""

    def __init__(self, console: Console | None = None) -> None:
        console = console or Console(highlight=False)
        if not console.is_terminal:
            console.width = _PIPE_WIDTH
        self.console = console

    def line(self, text: str, style: str = "") -> None:
        """Write untrusted text as exactly one line."""
        self.console.print(plain(text, style), soft_wrap=True)

    def lines(self, lines: Iterable[str]) -> None:
        """Write sanitized lines, with their spaces preserved."""
        for line in lines:
            self.console.print(Text(line), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
        """Write rows under their headings; a heading that ends with a space is right-aligned.

        If the terminal is too narrow, each row becomes a record of several lines.
        """
        cells = [[plain(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
        widths = [
            max(cell_len(cell) for cell in (column.strip(), *(row[number].plain for row in cells)))
            for number, column in enumerate(columns)
        ]
        *fixed, last = widths
        needed = sum(fixed) + len(_GAP) * len(fixed) + min(last, _MIN_LAST_WIDTH)
        if needed > self.console.width:
            self._records([column.strip() for column in columns], cells)
            return
        table = Table(box=None, pad_edge=False, padding=(0, len(_GAP), 0, 0), header_style="bold")
        for column in columns:
            table.add_column(
                column.strip(),
                justify="right" if column.endswith(" ") else "left",
                no_wrap=column != columns[-1],
            )
        for row in cells:
            table.add_row(*row)
        self.console.print(table)

    def _records(self, names: Sequence[str], rows: Iterable[Sequence[Text]]) -> None:
        width = max(map(len, names))
        for row in rows:
            for name, cell in zip(names, row, strict=True):
                self.console.print(Text(f"{name:<{width}}{_GAP}") + cell)
            self.console.print()

    def json(self, document: WireModel | Mapping[str, Any]) -> None:
        """Write one JSON document on one line, in ASCII, which every encoding can print."""
        data = document.model_dump(mode="json") if isinstance(document, WireModel) else document
        self.console.file.write(json.dumps(data) + "\n")
        self.console.file.flush()
