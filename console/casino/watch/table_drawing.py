"""Render a table for a terminal: seats around the board if they fit, otherwise a list."""

from collections.abc import Iterator
from textwrap import wrap

from casino_contracts import holding_up
from casino_contracts.events.table_view import TableSeat
from rich.align import Align
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from casino.output import (
    cards,
    chips,
    counted,
    plain,
    sanitize,
    signed,
    usd,
)
from casino.watch.watched_table import WatchedTable

_SEAT_WIDTHS = range(18, 27)
_AROUND_HEIGHT = 17
"""Lines of the heading, two rows of seats and the middle between them."""
_FACT_LINES = 3
_BETWEEN = " · "
_NEEDED = 2
"""How many parts of the heading are always there."""
_ROOM_WIDTH = 12
"""Columns that the room's id has before a part of the heading is left out for it."""
_STYLES = {"playing": "", "all-in": "bold", "folded": "dim", "waiting": "dim"}


class TableDrawing:
    """Rich renderable of a table, adapted to the current size of the terminal."""

    def __init__(self, table: WatchedTable, note: str = "", thinking_s: int | None = None) -> None:
        self._table = table
        self._note = note
        self._thinking_s = thinking_s

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        table = self._table
        height = console.size.height
        per_row = max(2, (len(table.seats) + 1) // 2)
        width = min(_SEAT_WIDTHS[-1], options.max_width // per_row)
        yield self._heading(options.max_width)
        if width >= _SEAT_WIDTHS[0] and height > _AROUND_HEIGHT:
            yield from self._around(per_row, width)
            used = _AROUND_HEIGHT
        else:
            yield self._middle(options.max_width)
            yield self._list()
            used = 5 + len(table.seats) + (_FACT_LINES - 2 if table.game else 0)
        for line in table.lines[-max(1, min(10, height - used - 1)) :]:
            yield _one_line(plain(line, "dim"))
        if self._note:
            yield plain(self._note, "bold yellow")

    def _heading(self, width: int) -> Text:
        """Return one line; where it is too long, the room's id is cut, and the end is left out."""
        table = self._table
        config = table.config
        blinds = f"blinds {chips(config.small_blind)}/{chips(config.big_blind)}" if config else ""
        parts = [
            f"hand {table.hand_number}" if table.hand_number else "no hand yet",
            table.word if holding_up(table.waits) else table.street or table.word,
            table.game or blinds,
            f"{counted(table.hands, 'hand')} seen",
        ]
        room = plain(table.room_id)
        needed = min(_ROOM_WIDTH, room.cell_len)
        while len(parts) > _NEEDED and needed + _length(parts) > width:
            parts.pop()
        room.truncate(max(1, width - _length(parts)), overflow="ellipsis")
        return _one_line(plain("".join((room.plain, *(_BETWEEN + part for part in parts))), "bold"))

    def _middle(self, width: int) -> Text:
        table = self._table
        lines = [
            Text.assemble("board  ", cards(table.board) if table.board else "—"),
            plain(f"pot  {chips(table.pot)}{_pots(table.pots)}{self._dead_button()}"),
        ]
        if table.game:
            facts = " · ".join(f"{label} {fact}" for label, fact in table.facts.items())
            rows = wrap(sanitize(facts), width, max_lines=_FACT_LINES, placeholder=" …")
            lines = [plain(row) for row in rows or ["—"]]
        if table.outcome:
            lines.append(plain(table.outcome, "green"))
        elif actor := table.to_act:
            lines.append(plain(f"{actor.name} to act{self._clock()}", "bold"))
        return _one_line(Text("\n").join(lines))

    def _dead_button(self) -> str:
        button = self._table.button
        if button is None or any(seat.number == button for seat in self._table.in_order):
            return ""
        return f"   ⓓ seat {button}, empty"

    def _clock(self) -> str:
        config = self._table.config
        if self._thinking_s is None or config is None:
            return ""
        return f", {self._thinking_s} s of {config.action_timeout_ms / 1000:g} s"

    def _around(self, per_row: int, width: int) -> Iterator[RenderableType]:
        """Yield the seats clockwise: the first half above, the others below in reverse order."""
        seats = self._table.in_order
        above, below = seats[:per_row], seats[per_row:][::-1]
        middle = Table.grid()
        middle.add_column(width=per_row * width)
        middle.add_row(Align.center(self._middle(per_row * width)))
        yield self._row(above, width)
        yield middle
        yield self._row(below, width)

    def _row(self, seats: list[TableSeat], width: int) -> Table:
        row = Table.grid()
        for _seat in seats:
            row.add_column(width=width)
        row.add_row(*(self._seat(seat) for seat in seats))
        return row

    def _seat(self, seat: TableSeat) -> Panel:
        shown = cards(seat.shown.cards) if seat.shown else Text()
        bet = f"   bet {chips(seat.bet)}" if seat.bet else ""
        lines = [
            Text(chips(seat.stack) + bet),
            plain(_doing(seat)),
            Text.assemble(signed(seat.won), _faults(seat), "   ", shown),
        ]
        style = _STYLES[seat.state]
        name = plain(f"{seat.name} ⓓ" if seat.number == self._table.button else seat.name)
        if seat == self._table.to_act:
            name, style = Text.assemble("▶ ", name), "bold yellow"
        below = plain(self._costs(seat)) if self._costs(seat) else None
        text = _one_line(Text("\n").join(lines))
        return Panel(text, title=name, title_align="left", subtitle=below, style=style)

    def _costs(self, seat: TableSeat) -> str:
        """Return the model, and what a hundred hands with it cost."""
        costs = self._table.costs_of(seat)
        dollars = None if costs is None else costs.usd_per_100_hands
        cost = None if dollars is None else f"{usd(dollars)}/100"
        return _BETWEEN.join(filter(None, (seat.model, cost)))

    def _mark(self, seat: TableSeat) -> str:
        dealer = "ⓓ" if seat.number == self._table.button else ""
        return dealer + ("▶" if seat == self._table.to_act else "")

    def _list(self) -> Table:
        table = Table(
            box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold", expand=True
        )
        table.add_column("", no_wrap=True)
        table.add_column("player", no_wrap=True, overflow="ellipsis", ratio=2)
        for column in ("stack", "bet", "won"):
            table.add_column(column, justify="right", no_wrap=True)
        table.add_column("", no_wrap=True, overflow="ellipsis", ratio=3)
        for seat in self._table.in_order:
            shown = cards(seat.shown.cards) if seat.shown else Text()
            table.add_row(
                f"{seat.number}{self._mark(seat)}",
                plain(_BETWEEN.join(filter(None, (seat.name, self._costs(seat))))),
                chips(seat.stack),
                chips(seat.bet) if seat.bet else "",
                signed(seat.won),
                Text.assemble(plain(_doing(seat)), _faults(seat), " ", shown),
                style=_STYLES[seat.state],
            )
        return table


def _one_line(text: Text) -> Text:
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def _length(parts: list[str]) -> int:
    return sum(cell_len(sanitize(part)) + len(_BETWEEN) for part in parts)


def _pots(pots: tuple[float, ...]) -> str:
    if not pots:
        return ""
    main, *side = map(chips, pots)
    return f"   main {main}, side {', '.join(side)}"


def _faults(seat: TableSeat) -> str:
    return f"   {counted(seat.faults, 'fault')}" if seat.faults else ""


def _doing(seat: TableSeat) -> str:
    if seat.sits_out:
        return "sits out"
    if seat.state == "all-in" and not seat.action.startswith("all-in"):
        return f"{seat.action}, all-in"
    return seat.action
