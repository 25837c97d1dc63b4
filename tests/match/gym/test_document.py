"""docs/data.md: its tables are those of the encodings, and its example runs as it is written."""

import re
from pathlib import Path

import pytest
from casino_match.gym import encoding_of
from casino_match.gym.encodings import ENCODINGS

DOCUMENT = (Path(__file__).parents[3] / "docs" / "data.md").read_text()
PLAYERS = {"blackjack": 2, "roulette": 2, "texas-holdem": 6}


def table_of(game_type: str) -> str:
    """Return the table of a game's layout as the document has it."""
    players = PLAYERS.get(game_type, 2)
    encoding = encoding_of(game_type, players)
    size = sum(part.size for part in encoding.parts)
    rows = [
        f"### {game_type}, {players} players: {size} numbers, {len(encoding.actions)} actions",
        "",
        "| part | size | maximum | meaning |",
        "| --- | --- | --- | --- |",
    ]
    rows += [
        f"| `{part.name}` | {part.size} | {part.most:g} | {part.meaning} |"
        for part in encoding.parts
    ]
    return "\n".join(rows)


@pytest.mark.parametrize("game_type", ENCODINGS)
def test_the_layout_is_as_documented(game_type: str) -> None:
    assert table_of(game_type) in DOCUMENT


def test_the_example_plays_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(from casino_match.*?)```", DOCUMENT, re.DOTALL)
    exec(compile(example, "example.py", "exec"), {"__name__": "__main__"})
    lines = re.findall(r"(player_\d): ([+-][\d.]+) big blinds a hand", capsys.readouterr().out)
    won = {agent: float(blinds) for agent, blinds in lines}
    assert won["player_0"] == -won["player_1"] != 0
