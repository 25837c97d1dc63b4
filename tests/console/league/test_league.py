"""`casino league` plays real matches, and publishes them at a real lobby."""

import json
from pathlib import Path

import pytest
from casino_contracts.matches.leagues import League
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.console_side import Ended, casino

PLAYERS = 'players = ["tight", "caller"]\nname = "two styles"\nprovisional_below = 80\n'
KEY = "open sesame"


async def league(casino_there: CasinoHarness, folder: Path, *options: str, key: str = KEY) -> Ended:
    arguments = ("league", str(folder), "--decks", "40", "--jobs", "1", *options)
    environment = {"CASINO_OPERATOR_TOKEN": key}
    transport = casino_there.http()._transport
    return await casino(*arguments, to=transport, environment=environment)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "league.toml").write_text(PLAYERS)
    return tmp_path


async def test_a_league_is_played_published_and_grows(folder: Path) -> None:
    """The lobby's table refers to its matches; the same command again plays nothing."""
    async with casino_harness(operator_token=KEY) as there:
        ended = await league(there, folder, "--publish", LOBBY)
        assert ended.exit_code == 0, ended.stderr
        assert "caller against tight …" in ended.stdout
        assert f"page   {LOBBY}/#/leagues/two-styles" in ended.stdout
        http = Operator(there).http
        table = League.model_validate_json((await http.get("/v1/leagues/two-styles")).content)
        assert table == League.model_validate_json((folder / "league.json").read_bytes())
        assert {entry.name for entry in table.players} == {"tight", "caller"}
        (pair,) = table.matrix
        result = (await http.get(f"/v1/matches/{pair.match}")).json()
        assert (result["decks"], result["hands"], pair.hands) == (40, 80, 80)
        hand = (await http.get(f"/v1/matches/{pair.match}/hands/1")).json()
        kinds = [event["eventType"] for event in hand["events"]]
        assert (kinds[0], kinds[-1]) == ("hand_started", "hand_completed")
        assert {player["displayName"] for player in hand["record"]["players"]} == {
            "caller",
            "tight",
        }
        assert {entry.is_provisional for entry in table.players} == {False}
        (folder / "league.toml").write_text(PLAYERS.replace('"caller"', '"caller", "maniac"'))
        grown = await league(there, folder, "--publish", LOBBY, "--json")
        events = [json.loads(line) for line in grown.stdout.splitlines()]
        begun = [(one["first"], one["second"]) for one in events if one["event"] == "match"]
        assert begun == [("caller", "maniac"), ("maniac", "tight")]
        found = (await http.get("/v1/matches?player=caller")).json()["matches"]
        assert [match["name"] for match in found] == ["caller-maniac", "caller-tight"]
        assert len((await http.get("/v1/leagues/two-styles")).json()["matrix"]) == 3


async def test_a_wrong_key_leaves_the_league_on_disk(folder: Path) -> None:
    """What is played is not lost: published later, nothing is played again."""
    async with casino_harness(operator_token=KEY) as there:
        refused = await league(there, folder, "--publish", LOBBY, key="guess")
        assert refused.exit_code == 1
        assert "does not accept the operator's key" in refused.stderr
        assert (folder / "league.json").exists()
        again = await league(there, folder, "--publish", LOBBY)
        assert again.exit_code == 0, again.stderr
        assert "…" not in again.stdout


async def test_what_is_no_league_is_refused_in_a_line(tmp_path: Path) -> None:
    """So are a bot that is not there, and a lobby that is no URL."""
    async with casino_harness() as there:
        empty = await league(there, tmp_path)
        assert (empty.exit_code, empty.stdout) == (1, "")
        assert empty.stderr.startswith(f"casino league: {tmp_path} has no plan")
        (tmp_path / "league.toml").write_text('players = ["tight", "absent.py"]')
        absent = await league(there, tmp_path)
        assert absent.exit_code == 1
        assert "absent.py" in absent.stderr
        assert (await league(there, tmp_path, "--publish", "here")).exit_code == 2
