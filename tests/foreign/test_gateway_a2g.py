"""An A2G client in Node, written from the documents alone, plays at the gateway."""

import json
import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from foreign.gateway_rooms import decisions, open_room, record, seat, start_with
from jsonschema import Draft202012Validator
from support.casino.casino import ProcessCasino
from support.casino.members import ENVIRONMENT
from support.gateway.live_gateway import LiveGateway, live_gateway
from support.players.foreign import a2g_client, some_are_prepared
from support.processes import eventually
from support.requirements import hands

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.full,
    pytest.mark.asyncio(loop_scope="module"),
]

HANDS = hands(50, 200)
GAMES = ("texas-holdem", "roulette")
NEW_GAME = "sealed_bid"
SCHEMA_OF = {
    "game_action_request": "State Schema",
    "betting_window_open": "State Schema",
    "game_state_update": "State Schema",
    "submit_action": "Action Schema",
    "player_action_broadcast": "Action Schema",
    "round_result": "Result Schema",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    """Run a lobby, a gateway and tables."""
    some_are_prepared()
    async with live_gateway() as live:
        await live.casino.host_tables(len(GAMES) + 3)
        yield live


async def schemas(http: httpx.AsyncClient, game_type: str) -> dict[str, dict[str, Any]]:
    """Return the schemas of a game's served specification, by the titles of their sections."""
    document = (await http.get(f"/api/games/{game_type}/spec")).raise_for_status().text
    found = {}
    for title in set(SCHEMA_OF.values()):
        section = rf"^## {title}\n.*?^```json\n(.*?)^```"
        match = re.search(section, document, re.DOTALL | re.MULTILINE)
        assert match is not None, title
        found[title] = json.loads(match[1])
    return found


async def games(casino: ProcessCasino) -> set[str]:
    """Return the games that a lobby lists."""
    listed = (await casino.http.get("/api/games")).raise_for_status().json()["games"]
    return {game["gameType"] for game in listed}


def is_faultless(counted: dict[str, Any]) -> None:
    """Check that the client was refused nothing, and found every message as it has to be."""
    assert counted["gameErrors"] == {}, counted["errorMessages"]
    assert counted["errors"] == {}, counted["errorMessages"]
    assert counted["violations"] == []
    assert counted["gaps"] == 0, counted["refusals"]


def validated(
    messages: Iterable[dict[str, Any]], of_game: dict[str, dict[str, Any]]
) -> Counter[str]:
    """Validate messages by jsonschema; returns how many of each kind there were."""
    validators = {
        (game, title): Draft202012Validator(schema)
        for game, titles in of_game.items()
        for title, schema in titles.items()
    }
    seen: Counter[str] = Counter()
    for message in messages:
        if message["type"] in SCHEMA_OF:
            validators[message["gameType"], SCHEMA_OF[message["type"]]].validate(message["payload"])
            seen[message["type"]] += 1
    return seen


async def test_it_plays_games_from_their_specifications(live: LiveGateway, tmp_path: Path) -> None:
    """Many hands of each at once, over one socket, without one game error."""
    casino = live.casino
    for game in GAMES:
        await open_room(casino, game, game, maxHands=HANDS, maxSeats=2)
        await seat(casino, game, live.bot)
    client = a2g_client(live.url, "Node", *GAMES, dump=tmp_path / "dump", rounds=HANDS)
    counted = await client.beside(*(start_with(casino, game, 2) for game in GAMES))
    is_faultless(counted)
    assert sorted(counted["rounds"].values()) == [HANDS] * len(GAMES)
    assert set(counted["supported"]) == await games(casino)
    assert set(counted["versions"]) == set(GAMES)
    for game in GAMES:
        assert "Node" in decisions(await record(casino, game, HANDS))
    by_game = {game: await schemas(casino.http, game) for game in GAMES}
    seen = validated(client.messages(), by_game)
    assert seen["round_result"] == HANDS * len(GAMES)
    assert seen["betting_window_open"] == HANDS
    assert seen["submit_action"] == counted["submitted"]


async def test_it_comes_back_over_lost_connections(live: LiveGateway, tmp_path: Path) -> None:
    """The socket is cut within every fifth question; each is answered once, by the client."""
    await open_room(live.casino, "lossy", "leduc_poker", maxHands=30, maxSeats=2)
    await seat(live.casino, "lossy", live.bot)
    client = a2g_client(live.url, "Lossy", "lossy", dump=tmp_path / "dump", rounds=30, drop_every=5)
    counted = await client.beside(start_with(live.casino, "lossy", 2))
    is_faultless(counted)
    assert counted["reconnects"] >= 6
    events = await record(live.casino, "lossy", 30)
    assert decisions(events)["Lossy"] == counted["submitted"]


async def start_table_with_new_game(casino: ProcessCasino, directory: Path) -> None:
    """Start a table that has the game of docs/games.md installed beside it."""
    offered = directory / "third_party-1.0.dist-info"
    offered.mkdir()
    (offered / "METADATA").write_text("Metadata-Version: 2.1\nName: third_party\nVersion: 1.0\n")
    (offered / "entry_points.txt").write_text(
        f"[casino.games]\n{NEW_GAME} = games.described_game\n"
    )
    path = f"{ENVIRONMENT['PYTHONPATH']}{os.pathsep}{directory}"
    await casino.host_tables(1, PYTHONPATH=path, CASINO_TABLE_LOBBY_URL=casino.lobby.url)


async def test_a_game_that_comes_later_is_played_without_a_restart(
    live: LiveGateway, tmp_path: Path
) -> None:
    """The client waits for a room whose game nobody knew when client and gateway started."""
    casino = live.casino

    async def both_rooms() -> None:
        await start_with(casino, "first", 2)
        await record(casino, "first", 3)
        assert NEW_GAME not in await games(casino)
        await start_table_with_new_game(casino, tmp_path)

        async def is_listed() -> bool:
            return NEW_GAME in await games(casino)

        await eventually(is_listed)  # a lobby waits a second for tables that say what they play
        await open_room(casino, "later", NEW_GAME, maxHands=3, maxSeats=2)
        await seat(casino, "later", live.bot)
        await start_with(casino, "later", 2)

    await open_room(casino, "first", "kuhn_poker", maxHands=3, maxSeats=2)
    await seat(casino, "first", live.bot)
    client = a2g_client(live.url, "Early", "first", "later", dump=tmp_path / "dump", rounds=3)
    counted = await client.beside(both_rooms())
    is_faultless(counted)
    assert counted["versions"].keys() == {"kuhn_poker", NEW_GAME}
    await record(casino, "later", 3)
