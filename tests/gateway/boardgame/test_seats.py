"""Seats: taken, given back, sitting out; and what floods of messages get."""

from typing import Any

import pytest
from casino_gateway.boardgame.boardgame_endpoint import Rate, Rates
from casino_lobby_client.errors import CallRefused
from support.gateway.boardgame_side import BoardgameSide, code_of, core
from support.gateway.seat_side import TOKEN, advance


async def test_a_seat_that_was_given_back_abandons_the_match() -> None:
    """BGP-07: with the time of its end."""
    side = BoardgameSide()
    reply = await side.http.delete("/bgp/seats", headers={"authorization": f"Bearer {TOKEN}"})
    assert reply.json() == {"match_id": "room", "agent_id": "ada"}
    _, state = await side.post(core("get_state"))
    assert (state["status"], state["active_agent_id"]) == ("abandoned", None)
    assert state["ended_at"].endswith("Z")
    assert (await side.act("CHECK"))["data"]["code"] == "MATCH_ENDED"
    again = await side.http.delete("/bgp/seats", headers={"authorization": f"Bearer {TOKEN}"})
    assert again.status_code == 200


@pytest.mark.parametrize(
    ("reason", "of_match", "status"),
    [
        ("busted", "started", "ended"),
        ("room_closed", "ended", "ended"),
        ("room_closed", "abandoned", "abandoned"),
        ("room_lost", "started", "abandoned"),
        ("left", "ended", "abandoned"),
    ],
)
async def test_how_a_match_is_over_for_a_seat(reason: str, of_match: Any, status: str) -> None:
    """BGP-07: a player without chips has played to the end."""
    side = BoardgameSide()
    side.side.room.match.stage = of_match
    side.seat.close(reason)
    assert (await side.post(core("get_state")))[1]["status"] == status


async def test_the_state_tells_that_the_seat_was_sitting_out() -> None:
    """BGP-28: and the message that asks brings it back."""
    side = BoardgameSide()
    side.seat.sit_out()
    _, first = await side.post(core("get_state"))
    _, second = await side.post(core("get_state"))
    assert (first["stage"], second["stage"]) == ("sitting_out", "wait")


async def test_floods_are_refused() -> None:
    """By seat, else by address; with the time to wait."""
    side = BoardgameSide(Rates(Rate(1, 2), Rate(1, 6)))
    assert [(await side.post(core("get_state")))[0] for _ in range(3)] == [200, 200, 429]
    limited = await side.http.post(
        "/bgp", content=b"", headers={"authorization": f"Bearer {TOKEN}"}
    )
    assert limited.headers["retry-after"] == "1"
    await advance(1)
    assert (await side.post(core("get_state")))[0] == 200
    statuses = [(await side.post(core("get_state"), token="x"))[0] for _ in range(8)]
    assert statuses == [403] * 6 + [429] * 2
    status, reply = await side.post({}, path="/bgp/seats")
    assert (status, code_of(reply)) == (429, "RATE_LIMITED")


async def test_a_seat_is_taken() -> None:
    side = BoardgameSide()
    order = {"match_id": "room", "name": "Eve", "type": "human", "buy_in": 50, "seat": 1}
    status, reply = await side.post(order, token=None, path="/bgp/seats")
    assert status == 201
    assert reply == {
        "match_id": "room",
        "agent_id": "eve",
        "token": "another-token",
        "game": "kuhn_poker",
    }
    status, reply = await side.post({**order, "match_id": "x"}, token=None, path="/bgp/seats")
    assert (status, code_of(reply), reply["match_id"]) == (404, "UNKNOWN_MATCH", "x")
    side.seats.refusal = CallRefused("TABLE_FULL", "no seat is free")
    status, reply = await side.post(order, token=None, path="/bgp/seats")
    assert (status, code_of(reply)) == (409, "TABLE_FULL")


@pytest.mark.parametrize("kind", ["cat", ["human"], {}])
async def test_an_order_of_a_seat_names_every_fault(kind: Any) -> None:
    wrong = {"name": "\u202e", "type": kind, "buy_in": -1, "seat": 10}
    status, reply = await BoardgameSide().post(wrong, token=None, path="/bgp/seats")
    assert status == 400
    faults = reply["error"]["data"]["errors"]
    assert [fault["field"] for fault in faults] == ["match_id", "name", "type", "buy_in", "seat"]
