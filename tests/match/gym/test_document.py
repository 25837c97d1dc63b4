"""docs/data.md: its example runs as it is written, and its layouts are those of the encodings."""

import re
from pathlib import Path

import pytest
from casino_match.gym import encoding_of
from casino_match.gym.encodings import ENCODINGS

DOCS = Path(__file__).parents[3] / "docs"
LAYOUTS = (DOCS / "reference" / "observations.md").read_text()


@pytest.mark.parametrize("game_type", ENCODINGS)
def test_the_layout_is_as_documented(game_type: str) -> None:
    encoding = encoding_of(game_type, 6 if game_type == "texas-holdem" else 2)
    rows = [
        f"| `{part.name}` | {part.size} | {part.most:g} | {part.meaning} |"
        for part in encoding.parts
    ]
    assert "\n".join(rows) in LAYOUTS
    assert f"## {game_type}, " in LAYOUTS
    assert f" {len(encoding.actions)} actions" in LAYOUTS


def test_the_example_plays_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    document = (DOCS / "data.md").read_text()
    (example,) = re.findall(r"```python\n(from casino_match.*?)```", document, re.DOTALL)
    exec(compile(example, "example.py", "exec"), {"__name__": "__main__"})
    lines = re.findall(r"(player_\d): ([+-][\d.]+) big blinds a hand", capsys.readouterr().out)
    won = {agent: float(blinds) for agent, blinds in lines}
    assert won["player_0"] == -won["player_1"] != 0
