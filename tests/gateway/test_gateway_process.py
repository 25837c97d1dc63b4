"""A gateway of real processes: seats play, last over SIGKILL, and admit their table only."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest
import pytest_asyncio
from casino_agentkit import Child, ChildFailed
from casino_agentkit.protocol import EXTENSION, RPC_PATH
from support.casino.live import ENVIRONMENT
from support.gateway.live_gateway import LiveGateway, OutsideSeat, live_gateway
from support.processes import eventually

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(120),
    pytest.mark.asyncio(loop_scope="module"),
]


PAGE = "https://casino.example"
HANDS = 20
"""`tests/foreign` plays hundreds."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    """Run one casino for all tests of this module."""
    async with live_gateway(
        {"CASINO_GATEWAY_PRESENCE": "3s", "CASINO_GATEWAY_CORS_ORIGINS": PAGE}
    ) as running:
        yield running


async def play(seat: OutsideSeat, hands: int | None = None) -> int:
    """Answer every question by its cheapest offers, until the match is over; returns how many."""
    answered = 0
    while True:
        state = await seat.turn()
        data = state["state"]["data"]
        if state["stage"] != "act" or (hands is not None and data["hand_number"] > hands):
            return answered
        offers = {offer["action_type"].upper(): offer for offer in data["available_actions"]}
        kind = next(k for k in ("CHECK", "CALL", "ALL-IN", "FOLD") if k in offers)
        response = await seat.act(offers[kind]["action_type"], turn=state["turn"])
        assert response["status"] == "success", response
        answered += 1


async def stacks(live: LiveGateway, room_id: str) -> float:
    """Return all chips of a room by its record: those at the table."""
    room = await live.casino.room(room_id)
    assert room.summary is not None
    return sum(player.stack for player in room.summary.players)


@pytest.mark.parametrize("game_type", ["texas-holdem", "kuhn_poker"])
async def test_two_seats_play_by_their_own_decisions(live: LiveGateway, game_type: str) -> None:
    """Each decision is their own, and chips are conserved."""
    room = f"own-{game_type}"
    await live.open(room, game_type, maxHands=HANDS)
    seats = [await live.sit(room, "Ada", "human"), await live.sit(room, "Bob")]
    counts = await asyncio.gather(*map(play, seats))
    events = await live.casino.events(room)
    taken = [event.payload or {} for event in events if event.event_type == "action_taken"]
    assert len(taken) == sum(counts) >= HANDS
    assert {payload["outcome"] for payload in taken} == {"ok"}
    assert sum(event.event_type == "hand_completed" for event in events) == HANDS
    rebought = sum(
        (event.payload or {})["amount"]
        for event in events
        if (event.payload or {}).get("kind") == "rebought"
    )
    assert await stacks(live, room) == 800 + rebought
    summary = (await live.casino.room(room)).summary
    assert summary is not None
    assert [player.player_type for player in summary.players] == ["human", "ai"]


async def test_a_killed_gateway_asks_the_same_question_again(live: LiveGateway) -> None:
    """Same seat, same token, same turn; and nothing is done twice."""
    await live.open("killed", "kuhn_poker", maxHands=6, actionTimeoutMs=20_000)
    seat = await live.sit("killed", "Ada")
    await live.casino.seat(live.bot, "killed")
    for _ in range(2):
        before = await seat.turn()
        await live.kill()
        await live.start()
        again = await seat.turn()
        assert again["turn"] == before["turn"]
        assert again["state"]["data"]["private"] == before["state"]["data"]["private"]
        offer = again["state"]["data"]["available_actions"][0]
        assert (await seat.act(offer["action_type"], turn=again["turn"]))["status"] == "success"
        late = await seat.act(offer["action_type"], turn=again["turn"])
        assert late["data"]["code"] in {"STALE_TURN", "MATCH_ENDED"}
    await play(seat)
    events = await live.casino.events("killed")
    own = [
        (event.payload or {})["outcome"]
        for event in events
        if (event.payload or {}).get("playerId") == seat.agent_id
        and event.event_type == "action_taken"
    ]
    assert set(own) == {"ok"}
    assert await stacks(live, "killed") == 800


async def test_an_answer_that_was_confirmed_lasts_over_a_sigkill(live: LiveGateway) -> None:
    """The table that did not get it asks again, and gets that one."""
    await live.open("told", "kuhn_poker", maxHands=1, actionTimeoutMs=20_000)
    seat = await live.sit("told", "Ada")
    await live.casino.seat(live.bot, "told")
    state = await seat.turn()
    kind = state["state"]["data"]["available_actions"][-1]["action_type"]
    await seat.act(kind, turn=state["turn"])
    await live.kill()
    await live.start()
    await play(seat)
    events = await live.casino.events("told")
    own = [
        event.payload or {}
        for event in events
        if (event.payload or {}).get("playerId") == seat.agent_id
        and event.event_type == "action_taken"
    ]
    assert own[0]["action"] == kind
    assert {payload["outcome"] for payload in own} == {"ok"}


async def test_nobody_there_costs_the_table_no_time(live: LiveGateway) -> None:
    """The seat is played by default at once, sits out at the table's count, and comes back."""
    await live.open("away", "kuhn_poker", maxHands=100_000, actionTimeoutMs=2_000)
    seat = await live.sit("away", "Ada")
    assert (await live.casino.seat(live.bot, "away")).is_success
    (seat_id,) = rows(live, "SELECT seat_id FROM seats WHERE room_id = 'away'")
    card = f"/seats/{seat_id}/.well-known/agent-card.json"
    assert (await live.http.get(card)).status_code == 200

    async def has(outcome: str) -> bool:
        events = await live.casino.events("away")
        return any(
            (event.payload or {}).get("outcome") == outcome
            or (event.payload or {}).get("kind") == outcome
            for event in events
        )

    # Nobody says a word: after the presence time, each question is answered at once.
    assert (await seat.turn())["stage"] == "act"
    assert (await seat.act("CHECK"))["status"] in {"success", "error"}
    await eventually(lambda: has("sat_out"))
    assert (await live.http.get(card)).status_code == 503
    assert (await seat.state())["stage"] == "sitting_out"
    assert (await live.http.get(card)).status_code == 200
    await eventually(lambda: has("returned"))
    followed = await live.metric("casino_gateway_rooms")
    assert (await live.http.delete("/bgp/seats", headers=seat.headers)).is_success
    await eventually(lambda: has("left"))

    async def is_over() -> bool:
        return bool((await seat.state())["status"] == "abandoned")

    await eventually(is_over)  # at the latest a second after the event, without a result
    assert (await live.http.get(card)).status_code == 404
    assert await live.metric("casino_gateway_rooms") == followed - 1


async def test_only_its_lobby_and_its_table_call_a_seat(live: LiveGateway) -> None:
    """A seat is signed up once, and asked by its table alone."""
    await live.open("guarded", "kuhn_poker")
    seat = await live.sit("guarded", "Ada")
    (seat_id,) = rows(live, "SELECT seat_id FROM seats WHERE room_id = 'guarded'")
    invitation = {
        "casinoName": "x",
        "tableId": "guarded",
        "roomId": "guarded",
        "minBuyIn": 1,
        "maxBuyIn": 1,
        "smallBlind": 1,
        "bigBlind": 1,
        "playerId": seat.agent_id,
        "seatToken": "mine" * 8,
    }
    assert await refused(live, seat_id, "signup", invitation) == "FORBIDDEN"
    question = {
        "tableId": "guarded",
        "gameType": "kuhn_poker",
        "specVersion": "1.0.0",
        "requestId": "q",
        "playerId": seat.agent_id,
        "state": {"public": {}, "private": {}},
        "availableActions": [{"action_type": "CHECK"}],
        "deadlineMs": 1_000,
    }
    notice = {
        **{key: question[key] for key in ("tableId", "gameType", "specVersion", "playerId")},
        "handId": "guarded/1",
        "handNumber": 1,
        "kind": "dealt",
        "state": {"public": {}, "private": {"card": "A"}},
    }
    for skill, data in (("act", question), ("notify", notice)):
        assert await refused(live, seat_id, skill, data) == "UNAUTHORIZED"
        assert await refused(live, seat_id, skill, data, seat.token) == "FORBIDDEN"
        other = {**data, "tableId": "another"}
        assert await refused(live, seat_id, skill, other, "mine" * 8) == "FORBIDDEN"
    assert (await seat.state())["state"]["data"]["private"] == {}
    assert rows(live, "SELECT count(*) FROM questions WHERE request_id = 'q'") == [0]


async def test_only_listed_pages_take_seats(live: LiveGateway) -> None:
    """A listed one may send the token; another one gets no further than the guard."""
    preflight = {
        "origin": PAGE,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
    }
    allowed = await live.http.options("/api/auth/guest", headers=preflight)
    assert allowed.headers["access-control-allow-origin"] == PAGE
    assert "authorization" in allowed.headers["access-control-allow-headers"].lower()
    guest = {"displayName": "Ada"}
    listed = await live.http.post("/api/auth/guest", json=guest, headers={"origin": PAGE})
    assert listed.is_success
    assert listed.headers["access-control-allow-origin"] == PAGE
    other = {"origin": "https://evil.example"}
    assert (await live.http.post("/api/auth/guest", json=guest, headers=other)).status_code == 403
    ready = (await live.http.get("/readyz")).json()
    assert ready["checks"] == {"database": True, "not draining": True}


async def test_a_second_gateway_does_not_start_on_the_same_file(live: LiveGateway) -> None:
    """It says why, as one line of JSON."""
    environment = {**ENVIRONMENT, "CASINO_GATEWAY_DATABASE": str(live.database)}
    with pytest.raises(ChildFailed, match="another process holds"):
        await Child.start("second", "casino_gateway", ["--port", "0"], environment=environment)


def rows(live: LiveGateway, query: str) -> list[Any]:
    """Return the first column of a query of the gateway's database."""
    with closing(sqlite3.connect(live.database)) as database:
        return [row[0] for row in database.execute(query)]


async def refused(
    live: LiveGateway, seat_id: str, skill: str, data: Any, token: str | None = None
) -> str:
    """Call a skill of a seat without a right to it; returns the reason of the refusal."""
    message = {
        "messageId": "m",
        "role": "ROLE_USER",
        "extensions": [EXTENSION],
        "metadata": {EXTENSION: {"skill": skill}},
        "parts": [{"mediaType": "application/json", "data": data}],
    }
    call = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    headers = {"A2A-Version": "1.0", **({"authorization": f"Bearer {token}"} if token else {})}
    reply = await live.http.post(f"/seats/{seat_id}{RPC_PATH}", json=call, headers=headers)
    answer = reply.json()
    assert "error" in answer, answer
    return str(answer["error"]["data"][0]["metadata"]["reason"])
