"""Hand histories of a room: shown cards for everybody, all cards for the operator."""

import asyncio
import tomllib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from casino_contracts import HandRecord
from casino_histories.reading.phh import read_phhs
from pydantic import SecretStr
from support.casino.casino_side import CasinoHarness, Operator
from support.table.table_side import CONFIG

KEY = {"Authorization": "Bearer open-sesame"}
HANDS = 3
PATH = "/v1/rooms/r1/hands.phhs"


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    harness = CasinoHarness(operator_token=SecretStr("open-sesame"))
    async with harness.tables.running(), harness.lobby.running():
        operator = Operator(harness)
        await operator.open(maxHands=HANDS, maxSeats=2, rebuy="auto")
        for name in ("ada", "bob"):
            harness.player(name)
            assert (await operator.seat(name)).status_code == 201
        client = harness.http()
        while len((await client.get("/v1/rooms/r1/hands")).json()["hands"]) < HANDS:
            await asyncio.sleep(0.02)
        yield client


def holes(text: str) -> list[list[str]]:
    """Return the dealt hole cards of each hand."""
    hands: dict[str, Any] = tomllib.loads(text)
    return [
        [action.split()[-1] for action in hand["actions"] if action.startswith("d dh")]
        for hand in hands.values()
    ]


async def test_everybody_gets_the_shown_cards_only(http: httpx.AsyncClient) -> None:
    """Cards that were not shown are `????`, also to a reader without a key."""
    reply = await http.get(PATH)
    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("application/toml")
    hands = list(read_phhs(reply.text))
    assert [hand.number for hand in hands] == [1, 2, 3]
    page = (await http.get("/v1/rooms/r1/hands")).json()["hands"]
    for hand, summary, dealt in zip(hands, page, holes(reply.text), strict=True):
        shown = {item["playerId"] for item in summary["shown"]}
        for seat, cards in zip(hand.seats, dealt, strict=True):
            assert (cards == "????") is (seat.player_id not in shown)
        stacks = {item["playerId"]: item["stack"] for item in summary["stacks"]}
        ours = {
            seat.player_id: stack
            for seat, stack in zip(hand.seats, hand.finishing_stacks, strict=True)
        }
        assert ours == stacks


async def test_the_operator_gets_all_cards(http: httpx.AsyncClient) -> None:
    """They are those of the records, and no cache stores them."""
    reply = await http.get(PATH, headers=KEY)
    assert reply.headers["cache-control"] == "no-store"
    for hand in read_phhs(reply.text):
        content = (await http.get(f"/v1/rooms/r1/hands/{hand.number}/record", headers=KEY)).content
        record = HandRecord.model_validate_json(content)
        cards = {
            hole.player_id: tuple(card.text for card in hole.cards) for hole in record.hole_cards
        }
        assert {seat.player_id: seat.cards for seat in hand.seats} == cards


async def test_a_wrong_key_gets_nothing(http: httpx.AsyncClient) -> None:
    """It would otherwise be taken for a hand history without cards."""
    reply = await http.get(PATH, headers={"Authorization": "Bearer wrong"})
    assert reply.status_code == 401


async def test_pages_follow_each_other(http: httpx.AsyncClient) -> None:
    """Each is a file of its own, and the last one has no next one."""
    numbers: list[int] = []
    path: str | None = f"{PATH}?limit=2"
    while path:
        reply = await http.get(path)
        numbers += [hand.number for hand in read_phhs(reply.text)]
        link = reply.links.get("next")
        path = str(reply.url.join(link["url"])) if link else None
    assert numbers == [1, 2, 3]
    assert (await http.get(f"{PATH}?limit=201")).status_code == 422
    assert (await http.get(f"{PATH}?after=x")).status_code == 422


async def test_a_room_without_hands_has_an_empty_file() -> None:
    """So has one whose session has not begun."""
    harness = CasinoHarness()
    async with harness.tables.running(), harness.lobby.running():
        await Operator(harness).open(maxSeats=2)
        reply = await harness.http().get(PATH)
        assert (reply.status_code, reply.text) == (200, "")
        assert (await harness.http().get("/v1/rooms/none/hands.phhs")).status_code == 404


async def test_other_games_are_refused() -> None:
    """Only hands of Hold'em have this format."""
    harness = CasinoHarness()
    async with harness.tables.running(), harness.lobby.running():
        operator = Operator(harness)
        body = {
            "roomId": "r1",
            "tableAgentCardUrl": harness.table_card(1),
            "gameType": "kuhn_poker",
            "config": {**CONFIG, "maxSeats": 2},
        }
        opened = await operator.post("/v1/rooms", body)
        assert opened.status_code == 201, opened.text
        reply = await harness.http().get(PATH)
        assert reply.status_code == 422
        assert "kuhn_poker" in reply.json()["detail"]
