"""Tables of pages, from their definitions: columns, observations, layers, kinds of events."""

import tomllib
from pathlib import Path
from typing import get_args

from casino_contracts.events.content import KINDS, StatusKind
from casino_contracts.events.payload_fields import Outcome
from casino_histories.history_files import COLUMNS
from casino_match.gym import encoding_of
from casino_match.gym.encodings import ENCODINGS

PLAYERS = {"texas-holdem": 6}
"""Of how many players a game's layout is shown; of the others two."""
LAYERS = "<!-- layers: tools/layouts.py -->", "<!-- /layers -->"

EVENTS = "<!-- kinds: tools/layouts.py -->", "<!-- /kinds -->"


def columns() -> str:
    """Return the page of the columns of CSV and Parquet."""
    lines = ["# Columns of exported hands", ""]
    lines += ["What they are for: [data](../data.md#the-formats). Written by `make reference`.", ""]
    for rows, table in COLUMNS.items():
        lines += [f"`--rows {rows}`:", "", "| column | type | |", "| --- | --- | --- |"]
        lines += [f"| `{column.name}` | {column.type} | {column.description} |" for column in table]
        lines.append("")
    return "\n".join(lines)


def observations() -> str:
    """Return the page of the parts of each game's observation."""
    lines = ["# Observations of the environments", ""]
    lines += ["How to read them: [data](../data.md#observations). Written by `make reference`.", ""]
    for game_type in ENCODINGS:
        players = PLAYERS.get(game_type, 2)
        encoding = encoding_of(game_type, players)
        size = sum(part.size for part in encoding.parts)
        title = f"{players} players: {size} numbers, {len(encoding.actions)} actions"
        lines += [f"## {game_type}, {title}", ""]
        lines += ["| part | size | maximum | meaning |", "| --- | --- | --- | --- |"]
        lines += [
            f"| `{part.name}` | {part.size} | {part.most:g} | {part.meaning} |"
            for part in encoding.parts
        ]
        lines.append("")
    return "\n".join(lines)


def with_layers(page: str, project: Path) -> str:
    """Return the page with the layers that the import contracts of `pyproject.toml` name."""
    contracts = tomllib.loads(project.read_text())["tool"]["importlinter"]["contracts"]
    lines = ["| package | layers |", "| --- | --- |"]
    for contract in contracts:
        if contract["type"] == "layers":
            (package,) = contract["containers"]
            *layers, last = (each for each in contract["layers"] if each not in {"__main__", "app"})
            if last != "errors":
                layers.append(last)
            shown = [
                f"({', '.join(each.split(' | '))})" if " | " in each else each for each in layers
            ]
            lines.append(f"| `{package}` | {' > '.join(shown)} |")
    return _between(page, LAYERS, lines)


def with_kinds(page: str) -> str:
    """Return the page with the kinds of table events and what their payloads always have."""
    lines = ["| kind | always in its payload |", "| --- | --- |"]
    for name, kind in KINDS.items():
        fields = (field for field in kind.payload.model_fields.values() if field.is_required())
        named = [f"{field.alias}{_members(field.annotation)}" for field in fields]
        lines.append(f"| `{name}` | {', '.join(named)} |")
    return _between(page, EVENTS, lines)


def _members(annotation: object) -> str:
    return f" ({', '.join(get_args(annotation))})" if annotation in {StatusKind, Outcome} else ""


def _between(page: str, marks: tuple[str, str], lines: list[str]) -> str:
    begin, end = marks
    before, rest = page.split(begin)
    _, after = rest.split(end)
    table = "\n".join(lines)
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"
