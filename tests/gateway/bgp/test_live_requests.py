"""Rows BGP-01 to BGP-21 and BGP-27 of the acceptance page, with real processes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import psutil
import pytest
import pytest_asyncio
from casino_contracts import HOLDEM
from support.gateway.bgp_matches import (
    KUHN,
    Json,
    Matches,
    message,
    play_out,
    take_first,
    to_decide,
    until,
)
from support.gateway.live_gateway import OutsideSeat, live_gateway

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="module")]

CORE = {"version", "type", "game", "match_id", "agent_id"}
STATE_FIELDS = CORE | {
    *("status", "phase", "turn", "stage", "started_at", "ended_at"),
    *("active_agent_id", "agents", "state"),
}
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def matches() -> AsyncIterator[Matches]:
    """Run a casino with a gateway and free tables."""
    async with live_gateway() as live:
        await live.casino.host_tables(10)
        matches = Matches(live)
        await matches.specification()  # made at the first request, for which a seat waits some time
        yield matches


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def waiting(matches: Matches) -> OutsideSeat:
    """Return a seat whose match waits for a second player."""
    return await matches.live.sit(await matches.open(), "Agent Two", "human")


async def test_a_match_against_a_native_agent(matches: Matches) -> None:
    """BGP-01, BGP-02, BGP-06, BGP-08: state, action, end; payloads fit the specification."""
    spec = await matches.specification()  # before the bot, which waits a short time for it
    match_id = await matches.open(actionTimeoutMs=5_000)
    reply = await matches.live.casino.seat(matches.live.bot, match_id)
    assert reply.status_code == 201, reply.text
    person = await matches.live.sit(match_id, "Agent Two", "human")
    _, state = await to_decide(person)
    assert set(state) == STATE_FIELDS
    data = state["state"]["data"]
    assert (state["status"], state["stage"]) == ("started", "act")
    assert state["active_agent_id"] == person.agent_id
    assert state["turn"] >= 1
    assert state["ended_at"] is None
    assert state["state"]["version"] == str(spec.version)
    assert 0 <= data["deadline_ms"] <= 5000
    assert data["hand_number"] == 1
    assert data["private"]["card"] in "JQK"
    assert [agent["type"] for agent in state["agents"]] == ["ai", "human"]
    assert state["agents"][1] == {"id": person.agent_id, "name": "Agent Two", "type": "human"}
    assert not spec.check_state({"public": data["public"], "private": data["private"]})
    again = await person.send("get_state", state={"version": "1.0.0"})
    assert again["state"]["data"]["available_actions"] == data["available_actions"]
    assert {**again, "state": None, "started_at": None} == {
        **state,
        "state": None,
        "started_at": None,
    }
    response = await take_first(person, state)
    offer = data["available_actions"][0]
    assert response.pop("message")
    assert response == {
        "version": "1.0.0",
        "status": "success",
        "data": {"action": offer, "turn": state["turn"]},
    }
    mine = next(
        event.payload
        for event in await matches.until_taken(match_id, state["turn"])
        if event.payload and event.payload["playerId"] == person.agent_id
    )
    assert (mine["outcome"], mine["action"]) == ("ok", offer["action_type"])
    await play_out(person)
    over = await until(person, status="ended")
    assert (over["stage"], over["active_agent_id"]) == ("wait", None)
    assert over["ended_at"] >= over["started_at"]
    assert not spec.check_result(over["state"]["data"]["result"])


async def test_a_match_that_has_not_started(matches: Matches, waiting: OutsideSeat) -> None:
    """BGP-04, BGP-15: waiting, with who is seated."""
    state = await waiting.state()
    assert (state["status"], state["phase"], state["turn"]) == ("waiting", "waiting", 0)
    assert (state["stage"], state["active_agent_id"]) == ("wait", None)
    assert (state["started_at"], state["ended_at"]) == (None, None)
    assert [agent["id"] for agent in state["agents"]] == [waiting.agent_id]
    assert state["state"]["data"]["available_actions"] == []
    refused = await waiting.act("BET")
    assert (refused["status"], refused["data"]["code"]) == ("error", "MATCH_NOT_STARTED")
    del matches


async def test_whose_turn_it_is(matches: Matches) -> None:
    """BGP-05, BGP-11, BGP-12, BGP-13, BGP-15: wait, act once, and not after the end."""
    pair = await matches.pair()
    actor, state = await to_decide(*pair)
    other = pair[pair[0] is actor]
    state_of_other = await until(other, active_agent_id=actor.agent_id)
    data = state_of_other["state"]["data"]
    assert state_of_other["stage"] == "wait"
    assert data["available_actions"] == []
    assert "deadline_ms" not in data
    assert data["private"].get("card") != state["state"]["data"]["private"]["card"]
    early = await other.act("CHECK")
    assert early["data"] == {"code": "NOT_YOUR_TURN", "active_agent_id": actor.agent_id}
    dance = await actor.act("DANCE")
    assert dance["data"]["code"] == "ILLEGAL_ACTION"
    assert "CHECK, BET" in dance["message"]
    first = await actor.act("bet", turn=state["turn"])
    second = await actor.act("bet", turn=state["turn"])
    assert (first["status"], second["data"]["code"]) == ("success", "STALE_TURN")
    assert len(await matches.until_taken(actor.match_id, 1)) == 1
    await play_out(*pair)
    late = await actor.act("CHECK")
    assert late["data"]["code"] == "MATCH_ENDED"


async def test_amounts(matches: Matches) -> None:
    """BGP-09, BGP-10: a slip costs nothing; the amount is a total."""
    pair = await matches.pair(HOLDEM, maxHands=1)
    actor, state = await to_decide(*pair)
    raising = next(
        offer
        for offer in state["state"]["data"]["available_actions"]
        if offer["action_type"] == "raise"
    )
    least, most = raising["min"], raising["max"]
    slips: list[dict[str, Any]] = [{"amount": least - 1}, {"amount": str(least)}, {}]
    for slip in slips:
        refused = await actor.act("raise", **slip)
        assert (refused["status"], refused["data"]["code"]) == ("error", "INVALID_AMOUNT")
        assert raising in refused["data"]["available_actions"]
        assert f"from {least} to {most}" in refused["message"]
    same = await actor.state()
    assert (same["turn"], same["stage"]) == (state["turn"], "act")
    assert (await actor.act("raise", amount=least + 8))["status"] == "success"
    payload = (await matches.until_taken(actor.match_id, 1))[0].payload or {}
    assert (payload["outcome"], payload["amount"]) == ("ok", least + 8)


async def test_a_clock_that_ends(matches: Matches) -> None:
    """BGP-14: the table decides; a late action is stale; nobody else loses time."""
    pair = await matches.pair(actionTimeoutMs=1500, maxTimeouts=100, maxHands=100)
    actor, state = await to_decide(*pair)
    turn = state["turn"]  # an earlier one may be over where the machine is slow
    payload = (await matches.until_taken(actor.match_id, turn))[turn - 1].payload or {}
    assert payload["outcome"] == "timeout"
    assert payload["latencyMs"] < 2500
    assert (await actor.act("CHECK", turn=turn))["data"]["code"] == "STALE_TURN"
    other, next_state = await to_decide(pair[pair[0] is actor])
    assert (await take_first(other, next_state))["status"] == "success"
    await matches.live.casino.http.delete(f"/v1/rooms/{actor.match_id}")


async def test_a_match_that_an_agent_leaves_or_the_operator_closes(matches: Matches) -> None:
    """BGP-07: abandoned, at a time."""
    one, two = await matches.pair(actionTimeoutMs=5_000)
    await to_decide(one, two)
    headers = {"authorization": f"Bearer {one.token}"}
    reply = await matches.live.http.delete("/bgp/seats", headers=headers)
    assert reply.status_code == 200, reply.text
    hand = asyncio.create_task(play_out(two))
    left = await until(one, status="abandoned")
    hand.cancel()
    assert left["ended_at"] is not None
    closed = await matches.live.sit(await matches.open(), "Agent One")
    await matches.live.casino.http.delete(f"/v1/rooms/{closed.match_id}")
    state = await until(closed, status="abandoned")
    assert state["ended_at"] is not None


@pytest.mark.parametrize("kind", ["get_state", "perform_action"])
async def test_another_token(matches: Matches, waiting: OutsideSeat, kind: str) -> None:
    """BGP-16: nothing but the refusal."""
    other = await matches.live.sit(await matches.open(), "Agent One")
    content = orjson.dumps(message(waiting, kind, action={"type": "BET"}))
    expected = {
        **message(waiting, "error"),
        "error": {
            "version": "1.0.0",
            "message": "Unauthorized action",
            "data": {"code": "UNAUTHORIZED"},
        },
    }
    assert await matches.raw(content) == (401, expected)
    assert await matches.raw(content, "x") == (403, expected)
    assert await matches.raw(content, other.token) == (403, expected)


def without(fields: Json, name: str) -> Json:
    """Return fields without one."""
    return {key: value for key, value in fields.items() if key != name}


async def test_messages_that_cannot_be_taken(matches: Matches, waiting: OutsideSeat) -> None:
    """BGP-03, BGP-17 to BGP-21, BGP-27: code, HTTP status, echo of the core fields."""
    good = message(waiting, "get_state")
    wrong_values: tuple[object, ...] = (5, None, [])
    cases: list[tuple[object, int, str]] = [
        (b'{"state": {"version:: "1.0.0"}}', 400, "INVALID_JSON"),
        ({**good, "match_id": "nope"}, 404, "UNKNOWN_MATCH"),
        ({**good, "type": "dance"}, 400, "UNKNOWN_TYPE"),
        ({**good, "type": "get_state_response"}, 400, "UNKNOWN_TYPE"),
        ({**good, "version": "2.0.0"}, 400, "UNSUPPORTED_VERSION"),
        ({**good, "version": "one"}, 400, "UNSUPPORTED_VERSION"),
        (without(good, "version"), 400, "INVALID_MESSAGE"),
        ({**good, "game": "chess"}, 400, "GAME_MISMATCH"),
        (b" " * 65 * 1024, 413, "TOO_LARGE"),
        (b'{"a":' * 50 + b"1" + b"}" * 50, 400, "INVALID_JSON"),
        *(
            ({**good, field: wrong}, 400, "INVALID_MESSAGE")
            for field in sorted(CORE)
            for wrong in wrong_values
        ),
    ]
    for content, status, code in cases:
        body = content if isinstance(content, bytes) else orjson.dumps(content)
        answered, reply = await matches.raw(body, waiting.token)
        assert (answered, reply["type"], reply["error"]["data"]["code"]) == (status, "error", code)
        assert set(reply) == CORE | {"error"}
        for name in ("game", "match_id", "agent_id"):
            sent: object = content.get(name) if isinstance(content, dict) else ""
            assert reply[name] == (sent if isinstance(sent, str) else "")
    accepted = await waiting.send("get_state", version="1.4.2")
    assert accepted["type"] == "get_state_response"


async def test_a_flood_leaves_the_memory_flat(matches: Matches, waiting: OutsideSeat) -> None:
    """BGP-27: 24 MiB of bodies that are too large, or too deep."""
    assert matches.live.child is not None
    bodies = [b"[" * 65_000, b" " * 80_000, b'{"a":"' + b"x" * 65_000]

    async def flood(count: int) -> None:
        for number in range(count):
            status, _ = await matches.raw(bodies[number % 3], waiting.token)
            assert status in {400, 413}

    await asyncio.gather(*(flood(12) for _ in range(4)))
    process = psutil.Process(matches.live.child.pid)
    before = process.memory_info().rss
    await asyncio.gather(*(flood(96) for _ in range(4)))
    assert process.memory_info().rss - before < 4 * 2**20
    assert (await waiting.state())["game"] == KUHN
