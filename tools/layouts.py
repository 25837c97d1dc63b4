"""The pages of docs/reference on exported columns and observed numbers, from their definitions."""

from casino_histories.history_tables import COLUMNS
from casino_match.gym import encoding_of
from casino_match.gym.encodings import ENCODINGS

PLAYERS = {"texas-holdem": 6}
"""Of how many players a game's layout is shown; of the others two."""


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
