"""docs/games.md: the example is played in a process of its own, registered as the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = Path(__file__).parent / "sealed_bid"
GUIDE = (ROOT / "docs" / "games.md").read_text()


@pytest.mark.parametrize("way", ["paths", "entry point"])
@pytest.mark.full
def test_a_game_written_by_the_guide_is_played(tmp_path: Path, way: str) -> None:
    """In a process that knows the casino's packages and the five files."""
    package = tmp_path / "sealed_bid"
    package.mkdir()
    for file in EXAMPLE.glob("*.py"):
        (package / file.name).write_text(file.read_text().replace("games.sealed_bid", "sealed_bid"))
    (registering,) = re.findall(
        r"```python\n(from casino_games import reg.*?)```", GUIDE, re.DOTALL
    )
    if way == "entry point":
        (table,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
        _, _, pointed = table.partition("\n")
        info = tmp_path / "sealed_bid-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sealed-bid\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[casino.games]\n" + pointed.replace('"', ""))
        paths = re.findall(r'(\w+)="([\w.]+)"', registering)
        (package / "registration.py").write_text(
            f"REGISTRATION = {dict(paths) | {'specification': ''}}"
        )
        registering = ""
    playing = """
from casino_games import ArenaConfig, ArenaPlayer, create_game, game_types
assert "sealed_bid" in game_types()
game = create_game("sealed_bid", ArenaConfig((ArenaPlayer("ann"), ArenaPlayer("bob")), "a seed"))
game.reset()
while not game.is_over():
    game.step(game.get_available_actions()[1] | {"amount": 1})
print(sum(game.get_scores().values()))
"""
    done = subprocess.run(
        [sys.executable, "-c", registering + playing],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )
    assert done.stdout == "0\n"
