"""`casino match` with an agent over HTTP: it goes on where the agent was lost."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import Service
from casino_player_example.holdem_agent import player_agent
from casino_player_example.style_catalogue import decide_of
from support.console_side import Ended, casino
from support.match.agent_side import Refusing
from support.served import serving

OPTIONS = ("--seed", "s", "--decks", "6", "--decks-per-block", "2", "--patience", "100ms")


@pytest.fixture
def gate() -> Iterator[tuple[Refusing, str]]:
    """Serve an agent that plays `tight`; gives what stands before it, and its URL."""
    service = Service({"": player_agent("tight", "Plays.", decide_of("tight"))})
    gate = Refusing(service.asgi())
    gate.status = 503
    with serving(gate, service) as url:
        yield gate, url


match = partial(casino, "match")


def result_of(ended: Ended) -> dict[str, Any]:
    """Return the result of a command that writes JSON."""
    assert (ended.exit_code, ended.stderr) == (0, "")
    document: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])["result"]
    return document


async def test_a_match_goes_on_when_its_agent_is_back(
    gate: tuple[Refusing, str], tmp_path: Path
) -> None:
    """Nothing is decided in its place; the result is that of a match without a loss."""
    at_gate, url = gate
    command = (f"tight={url}", "caller", *OPTIONS, "--games-at-once", "1", "--json", "--out")
    whole = result_of(await match(*command, str(tmp_path / "whole")))
    at_gate.passed_on, at_gate.left = 12, 10**9
    lost = str(tmp_path / "lost")
    ended = await match(*command, lost)
    assert ended.exit_code == 1
    assert ended.stderr.startswith("casino match: tight")
    last = json.loads(ended.stdout.splitlines()[-1])
    assert last == {"event": "suspended", "command": f"casino match {lost}"}
    blocks = len(list((tmp_path / "lost/blocks").glob("*.json")))
    assert blocks < 3
    at_gate.left = 0
    result = result_of(await match(lost, "--json"))
    assert result["digest"] == whole["digest"]
    assert result["players"][0]["outcomes"].keys() == {"ok"}
    styles = result_of(
        await match(
            "tight", "caller", *OPTIONS, "--jobs", "1", "--json", "--out", str(tmp_path / "styles")
        )
    )
    assert [player["net"] for player in styles["players"]] == [
        player["net"] for player in result["players"]
    ]


async def test_an_agent_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Before a plan is written; a cluster cannot call it."""
    ended = await match("http://127.0.0.1:1/", "caller", "--out", str(tmp_path / "out"))
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "the card of the agent cannot be read" in ended.stderr
    assert not (tmp_path / "out").exists()
