"""The README's match: its bot loses to `tight`, and with the lines of its diff it wins."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.author.readme import README, readme_bot
from support.console_side import casino

_DIFF = re.compile(r"### Which bot is better\?.*?```diff\n(.*?)```", re.DOTALL)


def improved(source: str) -> str:
    """Return the README's bot with the lines of its diff."""
    found = _DIFF.search(README)
    assert found
    lines = found[1].splitlines()
    for old, new in zip(lines[::2], lines[1::2], strict=True):
        assert (old[0], new[0], source.count(old[1:])) == ("-", "+", 1)
        source = source.replace(old[1:], new[1:])
    return source


@pytest.mark.parametrize(("change", "verdict"), [(str, "worse"), (improved, "better")])
async def test_the_readme_s_match_ends_as_it_says(
    change: Callable[[str], str], verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few decks of a known seed are enough, as the difference is large."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mybot.py").write_text(change(readme_bot()))
    command = re.search(r"casino (match mybot\.py tight)  ", README)
    assert command
    ended = await casino(
        *command[1].split(), "--decks", "600", "--seed", "readme", "--jobs", "1", "--json",
    )  # fmt: skip
    assert ended.exit_code == 0
    result = json.loads(ended.stdout.splitlines()[-1])["result"]
    assert result["pairs"][0]["verdict"] == verdict
    assert all(set(player["outcomes"]) <= {"ok"} for player in result["players"])
