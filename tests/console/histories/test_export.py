"""`casino export`: the hands of a room with and without the key, and of a match."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pandas as pd
import pytest
from casino.histories.room_hands import RoomHands
from casino.lobby_api import LobbyApi
from casino_histories.reading.file import read_hands
from pydantic import SecretStr
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.console_side import Ended, casino
from support.match.plans import played as play_match

KEY = "open-sesame"
HANDS = 3


@pytest.fixture
async def played() -> AsyncIterator[CasinoHarness]:
    harness = CasinoHarness(operator_token=SecretStr(KEY))
    async with harness.tables.running(), harness.lobby.running():
        operator = Operator(harness)
        await operator.open(maxHands=HANDS, maxSeats=2, rebuy="auto")
        for name in ("ada", "bob"):
            harness.player(name)
            assert (await operator.seat(name)).status_code == 201
        await operator.idle_room()
        while len((await operator.http.get("/v1/rooms/r1/hands")).json()["hands"]) < HANDS:
            await asyncio.sleep(0)
        yield harness


async def export(harness: CasinoHarness, *arguments: str, key: str | None = None) -> Ended:
    """Run the command."""
    lobby = httpx.ASGITransport(harness.transport.apps[LOBBY])
    settings = {"CASINO_OPERATOR_TOKEN": key} if key else {}
    return await casino("export", *arguments, to=lobby, environment=settings)


def names_in(folder: Path) -> list[str]:
    """Return the names of a folder's files, hidden ones included."""
    return sorted(path.name for path in folder.iterdir())


async def test_a_room_in_every_format(played: CasinoHarness, tmp_path: Path) -> None:
    """The same hands, with all cards for the operator, in files that appear as a whole."""
    for form in ("phh", "pokerstars", "ohh"):
        file = tmp_path / form
        ended = await export(played, "r1", "--format", form, "--out", str(file), key=KEY)
        assert (ended.exit_code, ended.stderr) == (0, "")
        assert ended.stdout == f"{HANDS} hands written to {file}\n"
        hands = list(read_hands(file.read_bytes()))
        assert len(hands) == HANDS
        assert all(len(seat.cards) == 2 for hand in hands for seat in hand.seats)
    for form, read in (("csv", pd.read_csv), ("parquet", pd.read_parquet)):
        file = tmp_path / form
        for rows in ("players", "actions"):
            options = ("--format", form, "--rows", rows, "--out", str(file))
            assert (await export(played, "r1", *options, key=KEY)).exit_code == 0
            frame = read(file)
            assert frame["hand"].nunique() == HANDS
            assert len(frame) == 2 * HANDS or rows == "actions"
    assert names_in(tmp_path) == ["csv", "ohh", "parquet", "phh", "pokerstars"]


async def test_without_the_key_there_are_the_shown_cards(
    played: CasinoHarness, tmp_path: Path
) -> None:
    """The others are unknown."""
    file = tmp_path / "a.phhs"
    assert (await export(played, "r1", "--out", str(file))).exit_code == 0
    for hand in read_hands(file.read_bytes()):
        shown = {item.seat for item in hand.shown}
        for number, seat in enumerate(hand.seats):
            assert bool(seat.cards) is (number in shown)


async def test_what_cannot_be_exported_is_said(played: CasinoHarness, tmp_path: Path) -> None:
    """Nothing is written then."""
    file = tmp_path / "a"
    for arguments, key, reason in (
        (("none",), None, "none"),
        (("r1", "--format", "parquet"), None, "--out"),
        ((str(tmp_path),), None, "plan.json"),
        (("r1",), "wrong", "CASINO_OPERATOR_TOKEN"),
    ):
        out = () if "parquet" in arguments else ("--out", str(file))
        ended = await export(played, *arguments, *out, key=key)
        assert ended.exit_code != 0
        assert reason in ended.stderr
        assert names_in(tmp_path) == []


async def test_a_match_is_played_again(tmp_path: Path) -> None:
    """No lobby is asked."""
    await asyncio.to_thread(play_match, tmp_path / "m")
    file = tmp_path / "m.csv"
    nobody = httpx.MockTransport(lambda _: httpx.Response(500))
    ended = await casino(
        "export", str(tmp_path / "m"), "--format", "csv", "--out", str(file), to=nobody
    )
    assert ended.exit_code == 0, ended.stderr
    frame = pd.read_csv(file)
    result = json.loads((tmp_path / "m" / "result.json").read_text())
    for player in result["players"]:
        own = frame[frame["player"] == player["name"]]
        assert (len(own), own["net"].sum()) == (player["hands"], player["net"])


async def test_a_room_of_another_game_is_refused() -> None:
    """Only Hold'em has these formats."""

    def answer(_request: httpx.Request) -> httpx.Response:
        room = {"roomId": "k", "gameType": "kuhn-poker", "tableAgentCardUrl": "", "events": []}
        return httpx.Response(200, json={**room, "config": CONFIG})

    ended = await casino("export", "k", to=httpx.MockTransport(answer))
    assert ended.exit_code == 1
    assert "k is a room of kuhn-poker: only hands of texas-holdem can be exported" in ended.stderr


CONFIG = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 9,
    "maxSeats": 2,
}


async def test_a_busy_lobby_is_waited_for() -> None:
    """An export of many hands costs more than a minute's budget."""
    waits: list[float] = []
    left = [2]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/hands"):
            left[0] -= 1
            if left[0] >= 0:
                problem = {"title": "Too many", "reason": "TOO_MANY_REQUESTS"}
                return httpx.Response(429, json=problem)
            return httpx.Response(200, json={"hands": []})
        room = {"roomId": "k", "tableAgentCardUrl": "", "events": [], "config": CONFIG}
        return httpx.Response(200, json=room)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    api = LobbyApi("http://lobby", httpx.MockTransport(answer))
    hands = RoomHands(api, "k", with_all_cards=False, sleep=sleep)
    assert [page async for page in hands.pages()] == [[]]
    assert len(waits) == 2
    await api.close()
