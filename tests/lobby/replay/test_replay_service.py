"""A file's hands in a lobby of their own: closed, complete, and with every card."""

from collections.abc import AsyncIterator

import httpx
import pytest
from casino_contracts import HandDetail, HandRecord
from casino_histories import HandHistory
from casino_histories.errors import all_read
from casino_histories.from_record import history_of
from casino_histories.phh import phh, read_phhs
from casino_lobby.replay import FileRoom, replay_service
from support.histories.field_hands import field_hand
from support.histories.hand_facts import facts
from support.histories.random_hands import random_hand

HANDS = 48
URL = "http://127.0.0.1:4000"


@pytest.fixture(scope="module")
def hands() -> list[HandHistory]:
    """Return hands of different tables: more and fewer players, other stacks and decimals.

    One in four is of our own engine; the others have what real tables have and it has not.
    """
    return [
        field_hand(number) if number % 4 else random_hand(number, decimals=number % 3)
        for number in range(HANDS)
    ]


@pytest.fixture
async def http(hands: list[HandHistory]) -> AsyncIterator[httpx.AsyncClient]:
    text = "".join(f"[{number}]\n{phh(hand)}\n" for number, hand in enumerate(hands, 1))
    service = replay_service(URL, FileRoom("my file", all_read(read_phhs(text))))
    app = service.asgi()
    async with service.running():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
            yield client


async def test_every_hand_is_there(http: httpx.AsyncClient, hands: list[HandHistory]) -> None:
    listed = (await http.get("/v1/rooms/my%20file/hands")).json()["hands"]
    assert [hand["handNumber"] for hand in listed] == list(range(1, HANDS + 1))
    for number, hand in enumerate(hands, 1):
        path = f"/v1/rooms/my%20file/hands/{number}"
        detail = (await http.get(path)).json()
        stacks = [item["stack"] for item in detail["hand"]["stacks"]]
        assert stacks == [stack / 10**hand.decimals for stack in hand.finishing_stacks]
        kinds = [event["eventType"] for event in detail["events"]]
        assert (kinds[0], kinds.count("action_taken")) == ("hand_started", len(hand.actions))
        record = (await http.get(f"{path}/record")).json()
        assert len(record["holeCards"]) == sum(bool(seat.cards) for seat in hand.seats)
        assert round(sum(record["scores"].values()), 6) == -hand.rake / 10**hand.decimals
        shown = history_of(HandDetail.model_validate(detail), HandRecord.model_validate(record))
        assert facts(shown) == facts(hand)
    assert (await http.get("/v1/rooms/my%20file/hands/99/record")).status_code == 404


async def test_the_room_is_closed_and_everybody_is_its_operator(
    http: httpx.AsyncClient, hands: list[HandHistory]
) -> None:
    (room,) = (await http.get("/v1/rooms")).json()["rooms"]
    assert (room["roomId"], room["state"], room["handCount"]) == ("my file", "closed", HANDS)
    assert (await http.get("/v1/config")).json()["isOperator"] is True
    players = (await http.get("/v1/rooms/my%20file/standings")).json()["players"]
    rake = sum(hand.rake / 10**hand.decimals for hand in hands)
    assert round(sum(player["net"] for player in players) + rake, 6) == 0
    assert (await http.post("/v1/rooms/my%20file/start", json={})).status_code >= 400
    assert (await http.get("/rooms/my%20file/hands/1")).status_code == 200
