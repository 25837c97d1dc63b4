"""The page docs/reference/scale.md: inputs, and what follows from them."""

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


class Input(NamedTuple):
    """A figure that the others follow from, and where it comes from."""

    name: str
    value: float
    unit: str
    source: str


class Figure(NamedTuple):
    """One line: a formula in the names of inputs and of lines before it."""

    name: str
    unit: str
    formula: str


MACHINES = (
    "A machine for tables has 16 cores, of which 10 are used, and 64 GB, of which 48 are used; "
    "a lobby uses one core to 0.7; `databases` are servers like the measured one, used to 0.7."
)
INPUTS = (
    Input("room_seats", 6, "seats", "a full table of hold'em"),
    Input(
        "pace",
        0.5,
        "decisions/s of a room",
        "**assumed**: language models and people; sample players make hundreds",
    ),
    Input("spare", 0.1, "share of the rooms", "free tables; at least those of one machine"),
    Input("silence", 10, "s", "`CASINO_LOBBY_TABLE_SILENCE` of `deploy`; 3.16 announcements in it"),
    Input("process_tables", 100, "tables", "of at most 1,000 (`CASINO_TABLE_COUNT`)"),
    Input("events_each", 1.25, "events a decision", "30 events in a hand of 24 decisions"),
    Input(
        "table_us",
        220,
        "µs CPU a decision",
        "one room on disk (`bench/growth.py`); 84 with 8 busy rooms",
    ),
    Input("table_mb", 2, "MB a hosted table", "the limit of `bench/fleet.py`"),
    Input("process_mb", 50, "MB", "with its first room (`bench/fleet.py`)"),
    Input(
        "lobby_us",
        65,
        "µs CPU a decision",
        "one room on disk (`bench/growth.py`); 20 with 8 busy rooms in memory",
    ),
    Input(
        "room_mb",
        0.4,
        "MB a room",
        "an upper bound: 216 MB with 256 rooms in memory, 111 MB with one",
    ),
    Input("announce_us", 95, "µs CPU", "`bench/fleet.py`, 1,000 tables"),
    Input("watchers", 1, "streams a room", "**assumed**"),
    Input("stream_us", 36, "µs CPU a delivered event", "`bench/stream.py`"),
    Input("watcher_mb", 0.048, "MB a stream", "`bench/stream.py`"),
    Input(
        "follow_us",
        80,
        "µs CPU an event",
        "**estimated**: a lobby of a group folds an event of another one",
    ),
    Input("postgres_events", 16_300, "events/s", "`bench/ingest.py`, batches of 10, PostgreSQL 15"),
    Input(
        "question_bytes",
        2_700,
        "bytes a decision",
        "a request of 2,078, its answer and the heads of HTTP",
    ),
    Input("batch_bytes", 1_150, "bytes a decision", "1.25 events of 354, envelope, heads, answer"),
    Input("announce_bytes", 1_000, "bytes", "request, heads, answer"),
    Input("event_bytes", 354, "bytes", "`bench/ingest.py`"),
    Input(
        "store_bytes",
        290,
        "bytes a decision",
        "database, two seats (`bench/growth.py`), nothing deleted",
    ),
    Input(
        "journal_bytes",
        140,
        "bytes a decision",
        "journal, two seats (`bench/growth.py`), nothing deleted",
    ),
)
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


def results_page() -> str:
    """Return the page of the inputs, and of what follows from them."""
    inputs = {each.name: each.value for each in INPUTS}
    columns = [computed(inputs, seats) for seats in SEATS.values()]
    lines = ["# Scale, computed", ""]
    lines += ["Of [more than one machine](../scale.md#scale-in-numbers). By `make reference`.", ""]
    lines += [MACHINES, ""]
    lines += ["| input | value | unit | source |", "| --- | ---: | --- | --- |"]
    lines += [f"| {name} | {value:,} | {unit} | {source} |" for name, value, unit, source in INPUTS]
    lines.append("")
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
