"""Hand histories of a room: shown cards for everybody, all cards for the operator."""

import tomllib
from typing import Any

from casino_contracts import HandRecord
from casino_histories import all_read
from casino_histories.phh import read_phhs
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.table.table_side import CONFIG

KEY = "open-sesame"
PATH = "/v1/rooms/r1/hands.phhs"


def holes(text: str) -> list[list[str]]:
    hands: dict[str, Any] = tomllib.loads(text)
    return [
        [action.split()[-1] for action in hand["actions"] if action.startswith("d dh")]
        for hand in hands.values()
    ]


async def test_everybody_gets_the_shown_cards_only(played: CasinoHarness) -> None:
    reply = await played.http().get(PATH)
    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("application/toml")
    hands = list(all_read(read_phhs(reply.text)))
    assert [hand.number for hand in hands] == [1, 2, 3, 4]
    page = (await played.http().get("/v1/rooms/r1/hands")).json()["hands"]
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


async def test_the_operator_gets_all_cards(played: CasinoHarness) -> None:
    reply = await played.http(KEY).get(PATH)
    assert reply.headers["cache-control"] == "no-store"
    for hand in all_read(read_phhs(reply.text)):
        content = (await played.http(KEY).get(f"/v1/rooms/r1/hands/{hand.number}/record")).content
        record = HandRecord.model_validate_json(content)
        cards = {
            hole.player_id: tuple(card.text for card in hole.cards) for hole in record.hole_cards
        }
        assert {seat.player_id: seat.cards for seat in hand.seats} == cards


async def test_a_wrong_key_gets_nothing(played: CasinoHarness) -> None:
    """It would otherwise be taken for a hand history without cards."""
    reply = await played.http("wrong").get(PATH)
    assert reply.status_code == 401


async def test_pages_follow_each_other(played: CasinoHarness) -> None:
    numbers: list[int] = []
    path: str | None = f"{PATH}?limit=3"
    while path:
        reply = await played.http().get(path)
        numbers += [hand.number for hand in all_read(read_phhs(reply.text))]
        link = reply.links.get("next")
        path = str(reply.url.join(link["url"])) if link else None
    assert numbers == [1, 2, 3, 4]


async def test_a_room_without_hands_has_an_empty_file_and_another_game_none() -> None:
    async with casino_harness() as harness:
        operator = Operator(harness)
        await operator.open(maxSeats=2)
        reply = await harness.http().get(PATH)
        assert (reply.status_code, reply.text) == (200, "")
        body = {
            "roomId": "r2",
            "tableAgentCardUrl": harness.table_card(2),
            "gameType": "kuhn_poker",
            "config": {**CONFIG, "maxSeats": 2},
        }
        opened = await operator.post("/v1/rooms", body)
        assert opened.status_code == 201, opened.text
        refused = await harness.http().get(PATH.replace("r1", "r2"))
        assert refused.status_code == 422
        assert "kuhn_poker" in refused.json()["detail"]
