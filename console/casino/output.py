"""What commands write on: a terminal of any width, or a pipe: whole lines, no colour."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from casino_contracts import WireModel
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from casino.formatting import plain

_ENDLESS = 1000  # columns of a pipe: nobody reads a table there that was cut to fit
_GAP = "  "
_LEAST_LAST = 12
"""So much of the last column, which may be wrapped, makes a table worth reading."""


class Output:
    """Standard output."""

    def __init__(self, console: Console | None = None) -> None:
        console = console or Console(highlight=False)
        if not console.is_terminal:
            console.width = _ENDLESS
        self.console = console

    def line(self, text: str, style: str = "") -> None:
        """Write one line; whoever wrote the text, it stays one."""
        self.console.print(plain(text, style), soft_wrap=True)

    def lines(self, lines: Iterable[str]) -> None:
        """Write lines whose blanks matter, made of tame texts."""
        for line in lines:
            self.console.print(Text(line), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
        """Write rows under their headings; a heading that ends with a blank is a number's.

        Where there is no room for that, each row becomes a few lines.
        """
        cells = [[plain(one) if isinstance(one, str) else one for one in row] for row in rows]
        widths = [
            max(cell_len(cell) for cell in (column.strip(), *(row[number].plain for row in cells)))
            for number, column in enumerate(columns)
        ]
        *fixed, last = widths
        needed = sum(fixed) + len(_GAP) * len(fixed) + min(last, _LEAST_LAST)
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
        """Write one JSON document on one line, in ASCII: no terminal and no pipe minds it."""
        data = document.model_dump(mode="json") if isinstance(document, WireModel) else document
        self.console.file.write(json.dumps(data) + "\n")
        self.console.file.flush()
