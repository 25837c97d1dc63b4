"""What commands write on: a terminal of any width, or a pipe: whole lines, no colour."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from casino_contracts import WireModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from casino.legible import plain

_ENDLESS = 1000  # columns of a pipe: nobody reads a table there that was cut to fit


class Paper:
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
        """Write rows under their headings; a heading that ends with a blank is a number's."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for column in columns:
            justify = "right" if column.endswith(" ") else "left"
            table.add_column(column.strip(), justify=justify, overflow="fold")  # type: ignore[arg-type]
        for row in rows:
            table.add_row(*(plain(cell) if isinstance(cell, str) else cell for cell in row))
        self.console.print(table)

    def json(self, document: WireModel | Mapping[str, Any]) -> None:
        """Write one JSON document on one line, in ASCII: no terminal and no pipe minds it."""
        data = document.model_dump(mode="json") if isinstance(document, WireModel) else document
        self.console.file.write(json.dumps(data) + "\n")
        self.console.file.flush()
