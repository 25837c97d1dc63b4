"""Write lines, tables and JSON to a terminal, or without colour or wrapping to a pipe."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from casino_contracts import (
    AnsweredQuestion,
    Card,
    DecisionCosts,
    DefaultCount,
    Defaulted,
    DisclosedDecision,
    PlayerFault,
    RecordedDecision,
    Usage,
    Waiting,
    WireModel,
    holding_up,
)
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_SUITS = {"clubs": "♣", "diamonds": "♦", "hearts": "♥", "spades": "♠"}
_COLOURS = {"clubs": "green", "diamonds": "blue", "hearts": "red", "spades": ""}
"""Four, as on the page, so that no two suits look alike."""
_SHOWN_DECIMALS = 6
_TWO_DIGITS = 9.5

NOTHING = "-"
"""In place of a value that is not known, or says nothing."""
TOO_FEW_HANDS = "says nothing yet"
"""In place of the interval of a win rate."""
GUEST = " (guest)"
"""Behind the name of a player for whom a person decides."""


def sanitize(text: str) -> str:
    r"""Return untrusted text as one line of printable characters.

    Each control or invisible character becomes a space, so that the text cannot move the cursor
    or reverse the writing direction.

    >>> sanitize("\x1b[2JBob\u202e\n")
    ' [2JBob  '
    """
    return "".join(character if character.isprintable() else " " for character in text)


def cut(text: str, width: int = 16) -> str:
    """Return untrusted text as one line, at most so long: by default a name in a table.

    >>> cut("a very long name of a bot")
    'a very long nam…'
    """
    line = sanitize(text)
    return line if len(line) <= width else f"{line[: width - 1]}…"


def plain(text: str, style: str = "") -> Text:
    """Return sanitized text for rich, without interpreting markup such as `[red]`."""
    return Text(sanitize(text), style)


def cards(hand: Iterable[Card]) -> Text:
    return Text(" ").join(Text(card.rank + _SUITS[card.suit], _COLOURS[card.suit]) for card in hand)


def card_letters(hand: Iterable[Card]) -> str:
    return " ".join(card.text for card in hand)


def chips(amount: float) -> str:
    """Return an amount without an exponent, rounded to hide floating-point errors.

    >>> chips(200), chips(0.1 + 0.2), chips(12_345_678.05)
    ('200', '0.3', '12345678.05')
    """
    if isinstance(amount, int):
        return str(amount)
    text = f"{amount:.{_SHOWN_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, plural unless it is 1.

    >>> counted(1, "hand"), counted(2, "hand")
    ('1 hand', '2 hands')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def signed(amount: float) -> str:
    return f"+{chips(amount)}" if amount > 0 else chips(amount)


def rate_cell(per_100: float, half_interval: float | None) -> str:
    """Return a win rate per 100 hands, "-" while it says nothing.

    >>> rate_cell(12.3, 4.5), rate_cell(20_017, None)
    ('+12', '-')
    """
    return NOTHING if half_interval is None else f"{per_100:+.0f}"


def half_width(half_interval: float | None) -> str:
    """Return half an interval with two digits at least, so that a small one is not 0.

    >>> half_width(61.35), half_width(0.234), half_width(None)
    ('61', '0.23', 'says nothing yet')
    """
    if half_interval is None:
        return TOO_FEW_HANDS
    return f"{half_interval:.0f}" if half_interval >= _TWO_DIGITS else f"{half_interval:.2g}"


def usd(amount: float) -> str:
    return f"${chips(amount)}"


def default_words(defaulted: Defaulted) -> str:
    """Return why something answered in a player's place.

    >>> default_words(Defaulted(reason="model_failed", detail="401: no such key"))
    'default: model failed, 401: no such key'
    """
    words = defaulted.reason.replace("_", " ")
    return f"default: {words}" + (f", {defaulted.detail}" if defaulted.detail else "")


def fault_word(fault: PlayerFault) -> str:
    if fault.defaulted is not None:
        return default_words(Defaulted(reason=fault.defaulted))
    return fault.outcome.replace("_", " ")


def default_counts(counts: Iterable[DefaultCount]) -> str:
    """Return how often that was, by reason.

    >>> default_counts([DefaultCount(reason="model_failed", count=3)])
    'model failed 3'
    """
    return ", ".join(f"{one.reason.replace('_', ' ')} {one.count}" for one in counts)


def usage_words(usage: Usage) -> str:
    """Return what a decision cost.

    >>> usage_words(Usage(model="small", latency_ms=900, input_tokens=2000, cost_usd=0.002))
    'small, 900 ms, 2,000 tokens, $0.002'
    """
    parts = [
        usage.model,
        None if usage.latency_ms is None else f"{usage.latency_ms} ms",
        f"{usage.attempts} attempts" if (usage.attempts or 0) > 1 else None,
        f"{tokens:,} tokens" if (tokens := _tokens(usage)) else None,
        None if usage.cost_usd is None else usd(usage.cost_usd),
    ]
    return ", ".join(filter(None, parts))


def _tokens(usage: Usage) -> int:
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)


def decided(said: DisclosedDecision | RecordedDecision | AnsweredQuestion) -> Iterator[str]:
    """Yield in lines who decided, what it cost and what it thought, as far as that is known."""
    if said.defaulted is not None:
        yield default_words(said.defaulted)
    if said.usage is not None and (words := usage_words(said.usage)):
        yield words
    if said.reasoning:
        yield f"“{said.reasoning}”"


def cost_columns(unit: str) -> tuple[str, ...]:
    """Return the headings of `cost_cells`; `unit` is that of the results, such as bb."""
    won = f"{unit}/100 "
    return ("player", "model", "tokens/100 ", "$/100 ", f"{won}per $ ", f"{won}per 1,000 tokens ")


def cost_cells(name: str, costs: DecisionCosts) -> tuple[str, ...]:
    dollars = costs.usd_per_100_hands
    return (
        name,
        ", ".join(costs.models),
        f"{costs.tokens_per_100_hands:,}",
        "-" if dollars is None else chips(dollars),
        _rate(costs.won_per_usd),
        _rate(costs.won_per_1000_tokens),
    )


def cost_words(costs: DecisionCosts) -> str:
    """Return what all decisions cost, such as `12,345 tokens, $0.0123`."""
    words = f"{costs.input_tokens + costs.output_tokens:,} tokens"
    if costs.cost_usd is None:
        return f"{words}, price unknown"
    unpriced = f" and {costs.unpriced} without a price" if costs.unpriced else ""
    return f"{words}, {usd(costs.cost_usd)}{unpriced}"


def _rate(rate: float | None) -> str:
    """Return a rate with two digits at least.

    >>> _rate(1234.5), _rate(-0.1234), _rate(None)
    ('+1,234', '-0.12', '-')
    """
    if rate is None:
        return "-"
    return f"{rate:+,.0f}" if abs(rate) >= _TWO_DIGITS else f"{rate:+.2g}"


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
        """Write rows, or records if the terminal is narrow; a heading's last space aligns right."""
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


_ROOM_STATES: Final = {"closed", "failed", "closing", "paused", "opening"}
"""The room's states that say more than the status of its table."""
_WAITS_FOR_TABLE: Final = "waits-for-table"
_NO_TABLE: Final = "no table"
_WORDS: Final = {"running": "playing", "error": "failed"}


def status_word(
    status: str, state: str | None = None, waits: Sequence[Waiting] | None = None
) -> str:
    """Return what a room does: why it plays no hand, else by its table's status and its own state.

    >>> status_word("running"), status_word("idle", "closed"), status_word("error")
    ('playing', 'closed', 'failed')
    """
    if (wait := holding_up(waits)) is not None:
        return wait.words
    if state == _WAITS_FOR_TABLE:  # as an older lobby says it
        return _NO_TABLE
    return state if state in _ROOM_STATES else _WORDS.get(status, status)


def wait_lines(waits: Sequence[Waiting] | None) -> list[str]:
    """Return what a room waits for, since when, and what ends that, a line for each wait."""
    return [f"{wait.words}: {wait.what}, since {wait.since}; {wait.fix}" for wait in waits or ()]
