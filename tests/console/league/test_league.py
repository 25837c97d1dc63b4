"""Leagues and results at a lobby: played, published, and replaced."""

import json
from pathlib import Path

import pytest
from casino.lobby_api import LobbyApi
from casino.publishing import (
    league_id_of,
    match_id_of,
    publish_league,
    publish_match,
    small_enough,
)
from casino_contracts.match_results import League
from casino_lobby_client.errors import CallFailed
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.console_side import Ended, casino
from support.matches.results import league_table, match_result

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
        assert (empty.exit_code, empty.stdout) == (2, "")
        assert empty.stderr.startswith(f"casino league: {tmp_path} has no plan")
        (tmp_path / "league.toml").write_text('players = ["tight", "absent.py"]')
        absent = await league(there, tmp_path)
        assert absent.exit_code == 1
        assert "absent.py" in absent.stderr
        assert (await league(there, tmp_path, "--publish", "here")).exit_code == 2


async def test_the_same_result_has_the_same_id_and_is_published_once() -> None:
    """Another result with a chosen id is refused, unless it replaces the earlier one."""
    first, second = match_result(decks=100), match_result(decks=200)
    async with casino_harness() as there:
        api = LobbyApi(LOBBY, there.http()._transport)
        for _ in range(2):
            summary = await publish_match(api, first)
        assert summary.match_id == match_id_of(first)
        assert (await publish_match(api, second)).match_id != summary.match_id
        await publish_match(api, first, "mine")
        with pytest.raises(CallFailed, match="If-Match"):
            await publish_match(api, second, "mine")
        assert (await publish_match(api, second, "mine", replaces=True)).decks == 200
        summary_of_league = await publish_league(api, league_table(["a", "b"]))
        assert summary_of_league.league_id == "league"
        await api.close()


def test_ids_have_no_letters_that_links_encode() -> None:
    result = match_result(name="a/b ёж: best of 3?")
    assert match_id_of(result).startswith("a-b-best-of-3-")
    assert match_id_of(match_result(name="??")).startswith("match-")
    assert league_id_of(league_table(["a", "b"]).model_copy(update={"name": "ёж"})) == "league"


def test_a_result_of_very_many_pairs_becomes_small_enough() -> None:
    """Its courses have fewer points, and end where they did."""
    result = match_result([f"player {number}" for number in range(10)], points=200)
    assert len(result.wire()) < 1024 * 1024
    small = small_enough(result, 300_000)
    assert len(small.wire()) <= 300_000
    for before, after in zip(result.pairs, small.pairs, strict=True):
        assert 2 <= len(after.series) < 200
        assert after.series[-1] == before.series[-1]
        assert after.estimates == before.estimates
    with pytest.raises(CallFailed, match="larger than 1000 bytes"):
        small_enough(result, 1_000)
