"""The page docs/reference/scale.md, computed from the table of inputs in docs/scale.md."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import NamedTuple

SEATS = {"10³ seats": 1e3, "10⁵ seats": 1e5, "10⁷ seats": 1e7}
_THREE_DIGITS = 100
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class Figure(NamedTuple):
    """One line: a formula in the names of inputs and of lines before it."""

    name: str
    unit: str
    formula: str


FIGURES = (
    Figure("rooms", "", "seats / room_seats"),
    Figure("tables", "", "rooms * (1 + spare)"),
    Figure("decisions", "/s", "rooms * pace"),
    Figure("events", "/s", "decisions * events_each"),
    Figure("announcements", "/s", "tables * 3.16 / silence"),
    Figure("table_cores", "", "decisions * table_us / 1000000"),
    Figure(
        "table_memory", "GB", "(tables * table_mb + tables / process_tables * process_mb) / 1000"
    ),
    Figure("table_machines", "", "max(1, table_cores / 10, table_memory / 48)"),
    Figure("play_cores", "", "decisions * lobby_us / 1000000"),
    Figure("announce_cores", "", "announcements * announce_us / 1000000"),
    Figure("stream_cores", "", "events * watchers * stream_us / 1000000"),
    Figure("lobbies", "", "max(1, (play_cores + announce_cores + stream_cores) / 0.7)"),
    Figure("lobby_memory", "GB", "rooms * (room_mb + watchers * watcher_mb) / 1000"),
    Figure("databases", "", "max(1, events / (0.7 * postgres_events))"),
    Figure("player_network", "MB/s", "decisions * question_bytes / 1000000"),
    Figure(
        "lobby_network",
        "MB/s",
        "(decisions * batch_bytes + announcements * announce_bytes) / 1000000",
    ),
    Figure("stream_network", "MB/s", "events * watchers * event_bytes / 1000000"),
    Figure("database_a_day", "GB", "decisions * store_bytes * 86400 / 1000000000"),
    Figure("journals_a_day", "GB", "decisions * journal_bytes * 86400 / 1000000000"),
)
BOUNDS = (
    Figure(
        "one lobby: its core",
        "seats",
        "0.7 * seats / (play_cores + announce_cores + stream_cores)",
    ),
    Figure("one lobby: 16 GB", "seats", "16 * seats / lobby_memory"),
    Figure("group: writes of one PostgreSQL", "seats", "0.7 * seats * postgres_events / events"),
    Figure(
        "group: every lobby follows all events",
        "seats",
        "0.35 * seats * 1000000 / (events * follow_us)",
    ),
    Figure("group: every lobby has all rooms, 16 GB", "seats", "16000 * seats / (rooms * room_mb)"),
)


def inputs_of(page: str) -> dict[str, float]:
    """Return the inputs: rows with a name in backticks first, and a number second."""
    rows = (line.split("|") for line in page.splitlines() if line.startswith("| `"))
    return {row[1].strip(" `"): float(row[2].replace(",", "")) for row in rows}


def value_of(formula: str, values: Mapping[str, float]) -> float:
    """Return the value of a formula; raises KeyError for an unknown name."""
    return _value(ast.parse(formula, mode="eval").body, values)


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, values), _value(right, values))
        case ast.Name(id=name):
            return values[name]
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Call(func=ast.Name(id="max"), args=arguments):
            return max(_value(argument, values) for argument in arguments)
    raise ValueError(ast.unparse(node))


def computed(inputs: Mapping[str, float], seats: float) -> dict[str, float]:
    """Return the inputs with the figures for a number of concurrent seats."""
    values = {**inputs, "seats": seats}
    for figure in FIGURES:
        values[figure.name] = value_of(figure.formula, values)
    return values


def results_page(page: str) -> str:
    """Return the page of results that follows from a page with inputs."""
    inputs = inputs_of(page)
    columns = [computed(inputs, seats) for seats in SEATS.values()]
    lines = ["# Scale, computed", ""]
    lines += ["From the [inputs](../scale.md#scale-in-numbers). Written by `make reference`.", ""]
    lines += [f"| | formula | {' | '.join(SEATS)} |", "| --- | --- | ---: | ---: | ---: |"]
    for name, unit, formula in FIGURES:
        cells = (f"{shown(values[name])} {unit}".strip() for values in columns)
        lines.append(f"| {name} | {_readable(formula)} | {' | '.join(cells)} |")
    lines += [
        "",
        "## Where a design ends",
        "",
        "| limit | formula | seats |",
        "| --- | --- | ---: |",
    ]
    for name, _, formula in BOUNDS:
        value = shown(value_of(formula, columns[0]))
        lines.append(f"| {name} | {_readable(formula)} | {value} |")
    return "\n".join([*lines, ""])


def shown(value: float) -> str:
    """Return a number with two significant digits, and thousands separated."""
    if value < _THREE_DIGITS:
        return f"{float(f'{value:.2g}'):g}"
    digits = len(str(int(value))) - 2
    return f"{round(value / 10**digits) * 10**digits:,}"


def _readable(formula: str) -> str:
    text = formula.replace("1000000000", "10⁹").replace("1000000", "10⁶").replace("86400", "86,400")
    return text.replace(" * ", " · ").replace("16000", "16,000")
