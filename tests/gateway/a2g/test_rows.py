"""Rows of A2G's acceptance page over real processes: a lobby, tables, sample players, a gateway."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
import websockets
from support.gateway.a2g_player import (
    A2gPlayer,
    cheapest,
    connected,
    guest,
    join,
    player,
    specification,
)
from support.gateway.a2g_side import Client, bearer
from support.gateway.live_gateway import LiveGateway, live_gateway

pytestmark = [pytest.mark.full, pytest.mark.asyncio(loop_scope="module")]

KUHN = "kuhn_poker"
CHIPS = 400
HANDS = 6


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    """Run a casino whose gateway keeps seats of absent clients for four seconds."""
    brief = {"CASINO_GATEWAY_RECONNECT": "4s", "CASINO_GATEWAY_PRESENCE": "1s"}
    async with live_gateway(brief) as running:
        yield running


async def silent(live: LiveGateway) -> tuple[Client, int, float]:
    """Say nothing to a gateway; returns the messages, the close code and the seconds."""
    async with websockets.connect(f"{live.socket_url}/ws") as socket:
        client = Client(socket)
        began = time.monotonic()
        code = await client.closed()
        return client, code, time.monotonic() - began


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def silence(live: LiveGateway) -> AsyncIterator[asyncio.Task[tuple[Client, int, float]]]:
    """Be silent while other tests run."""
    task = asyncio.create_task(silent(live))
    yield task
    task.cancel()


@pytest.fixture(autouse=True)
def _silence(silence: object) -> None:
    """Begin to be silent with the first test."""


async def test_every_listed_game_has_a_specification(live: LiveGateway) -> None:
    """A2G-01, A2G-02: and `hello` names the same games."""
    token = await guest(live)
    games = (await live.http.get("/api/games", headers=bearer(token))).json()["games"]
    listed = {game["gameType"]: game for game in games}
    assert len(listed) >= 6
    for game_type, game in listed.items():
        spec = await specification(live, game_type, token)
        assert (spec.game_type, str(spec.version)) == (game_type, game["specVersion"])
    async with websockets.connect(f"{live.socket_url}/ws") as socket:
        hello = await Client(socket).next()
    assert hello["type"] == "hello"
    assert {*hello["payload"]["supportedGames"]} == {*listed}


@pytest.mark.parametrize(
    "game_type", [KUHN, "leduc_poker", "blackjack", "roulette", "texas-holdem"]
)
async def test_a_game_is_played_from_its_specification(live: LiveGateway, game_type: str) -> None:
    """A2G-05 to A2G-08: every payload is valid, nothing is refused, chips are booked exactly."""
    room_id = f"play-{game_type}"
    await live.open(room_id, game_type, maxHands=HANDS)
    async with player(live, room_id, game_type) as client:
        seen = await client.play(HANDS)
        kinds = Counter(message["type"] for message in seen)
        assert not kinds["game_error"] + kinds["error"], seen
        assert kinds["round_result"] == HANDS
        assert kinds["player_action_broadcast"] >= HANDS
        is_window = game_type == "roulette"
        assert (kinds["betting_window_open"] > 0) is is_window
        assert kinds["betting_window_open"] == kinds["betting_window_closed"]
        for result in (m["payload"] for m in seen if m["type"] == "round_result"):
            assert result["totalRake"] == 0
            assert sum(result["scores"].values()) == 0
            for winner in result["winners"]:
                assert (
                    winner["netAmount"]
                    == winner["grossAmount"]
                    == result["scores"][winner["playerId"]]
                )
        sequences = [message["sequence"] for message in seen[1:]]
        assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
        seat = await join(live, room_id, client.token)
        await live.casino.until("idle", room_id=room_id)
        room = await live.casino.room(room_id)
        assert room.summary is not None
        stacks = {each.player_id: each.stack for each in room.summary.players}
        locked = None
        async with asyncio.timeout(20):  # the last hand is booked behind its event
            while locked != stacks[seat["playerId"]]:
                await client.send("balance_query")
                locked = (await client.until("balance_response"))["payload"]["locked"]


async def test_wrong_actions_cost_nothing(live: LiveGateway) -> None:
    """A2G-06, A2G-09, A2G-11: the question stays open, and each has its code."""
    await live.open("wrong", KUHN, maxHands=50, actionTimeoutMs=8_000)
    async with player(live, "wrong", KUHN) as client:
        request = await client.request()
        offered = {offer["type"] for offer in request["payload"]["availableActions"]}
        absent = min({"CHECK", "BET", "CALL", "FOLD"} - offered)
        for payload in ({"action": absent}, {"action": "DANCE"}, {}):
            sent = await client.send("submit_action", payload, tableId="wrong")
            await client.until("game_error", code="INVALID_ACTION", relatedMessageId=sent)
        await client.send("submit_action", {"action": cheapest(request)["action"]}, messageId="m1")
        await client.until("ack", relatedMessageId="m1")
        await client.send("submit_action", {"action": "BET"}, messageId="m1")
        await client.until("error", code="DUPLICATE_MESSAGE", relatedMessageId="m1")
        events = await live.casino.events("wrong")
        mine = [event for event in events if event.event_type == "action_taken"]
        assert all((event.payload or {})["outcome"] == "ok" for event in mine)


async def test_amounts_are_checked(live: LiveGateway) -> None:
    """A2G-09: an amount out of range, or none, is INVALID_AMOUNT."""
    await live.open("amounts", "texas-holdem", maxHands=50, actionTimeoutMs=8_000)
    async with player(live, "amounts", "texas-holdem") as client:
        request = await client.request()
        (offer,) = [o for o in request["payload"]["availableActions"] if "minAmount" in o]
        wrong: list[Any] = [None, offer["minAmount"] - 1, offer["maxAmount"] + 1, "9", 2.5]
        for amount in wrong:
            payload = {"action": offer["type"], "amount": amount}
            sent = await client.send("submit_action", payload, tableId="amounts")
            error = await client.until("game_error", relatedMessageId=sent)
            assert error["payload"]["code"] == "INVALID_AMOUNT", amount
        await client.answer(request)
        await client.until("ack")


async def test_silence_is_the_default_action(live: LiveGateway) -> None:
    """A2G-10: at the table's clock, sent as TIMEOUT; what comes late is refused."""
    await live.open("quiet", KUHN, maxHands=50, actionTimeoutMs=800, maxTimeouts=50)
    async with player(live, "quiet", KUHN) as client:
        request = await client.request()
        await client.until("game_error", code="TIMEOUT")
        sent = await client.send("submit_action", cheapest(request), turn=request["turn"])
        late = await client.until("game_error", relatedMessageId=sent)
        assert late["payload"]["code"] in {"NOT_YOUR_TURN", "ROUND_COMPLETE"}
        broadcast = await client.until("player_action_broadcast")
        while broadcast["outcome"] != "timeout":
            broadcast = await client.until("player_action_broadcast")


async def test_a_lost_socket_costs_nothing(live: LiveGateway) -> None:
    """A2G-12: the same question is pending, with what was missed; the seat is kept."""
    await live.open("lost", KUHN, maxHands=50, actionTimeoutMs=8_000)
    async with player(live, "lost", KUHN) as client:
        session = next(m for m in client.seen if m["type"] == "authenticated")
        request = await client.request()
    async with connected(live, client.token, client.spec) as back:
        payload = {
            "sessionId": session["payload"]["sessionId"],
            "lastSeenMessageId": request["messageId"],
        }
        await back.send("reconnect", payload)
        state = await back.until("reconnect_state", tableId="lost")
        assert state["payload"]["isComplete"] is True
        assert state["payload"]["currentState"] == request["payload"]
        again = await back.request()
        assert again["turn"] == request["turn"]
        assert again["timeoutSeconds"] < request["timeoutSeconds"]
        sent = await back.answer(again)
        await back.until("ack", relatedMessageId=sent)


async def test_a_killed_gateway_asks_again(
    live: LiveGateway, silence: asyncio.Task[tuple[Client, int, float]]
) -> None:
    """A2G-12: over a SIGKILL the token, the seat and the question are the same."""
    await asyncio.wait({silence})  # the socket of another test
    await live.open("killed", KUHN, maxHands=3, actionTimeoutMs=30_000)
    async with player(live, "killed", KUHN) as client:
        request = await client.request()
        await live.kill()
    await live.start()
    async with connected(live, client.token, client.spec) as back:
        await back.sign_in(client.token)
        again = await back.request()
        assert again["payload"] == request["payload"]
        assert again["turn"] == request["turn"]
        assert again["sequence"] > request["sequence"]
        await back.answer(again)
        while (await back.next())["type"] != "round_result":
            pass


async def test_a_client_that_stays_away_loses_its_seat(live: LiveGateway) -> None:
    """A2G-12: with its chips, which are booked as given back."""
    # A game against the bank goes on with one player; else the table would pause.
    await live.open("gone", "blackjack", maxHands=500, actionTimeoutMs=2_000, paceMs=20)
    async with player(live, "gone", "blackjack") as client:
        await client.play(1)
    async with asyncio.timeout(60):
        while not await _has_left(live, client):
            await asyncio.sleep(0.1)
    page = await live.http.get("/api/wallet/transactions", headers=bearer(client.token))
    newest, *_, first = page.json()["transactions"]
    assert (first["type"], first["amount"]) == ("deposit", CHIPS)
    assert (newest["type"], newest["balance"]) == ("withdrawal", 0)
    events = await live.casino.events("gone")
    (left,) = [e.payload for e in events if e.payload and e.payload.get("kind") == "left"]
    assert left["stack"] == newest["amount"]


async def _has_left(live: LiveGateway, client: A2gPlayer) -> bool:
    reply = await live.http.get("/api/wallet/transactions", headers=bearer(client.token))
    return any(row["type"] == "withdrawal" for row in reply.json()["transactions"])


async def test_rooms_are_joined_and_left(live: LiveGateway) -> None:
    """A2G-16: the lobby's view says who sits there; nothing works without a token."""
    await live.open("views", KUHN)
    token = await guest(live, "Grace")
    assert (await live.http.get("/api/lobby")).status_code == 401
    assert (await live.http.post("/api/rooms/views/join", json={})).status_code == 401
    poor = await live.http.post(
        "/api/rooms/views/join", headers=bearer(token), json={"buyIn": 10_000}
    )
    assert poor.status_code == 422
    assert poor.json()["code"] == "SEAT_UNAVAILABLE"
    assert "allows 40 to 400" in poor.json()["message"]
    seat = await join(live, "views", token, buyIn=100, seat=1, displayName="Grace")
    assert (seat["seatNumber"], seat["chips"]) == (1, 100)
    assert seat == await join(live, "views", token)
    async with asyncio.timeout(20):
        players: list[Any] = []
        while not players:
            rooms = (await live.http.get("/api/lobby", headers=bearer(token))).json()["rooms"]
            (room,) = [room for room in rooms if room["id"] == "views"]
            players = room["players"]
    assert (players[0]["displayName"], players[0]["chips"]) == ("Grace", 100)
    assert (room["gameType"], room["maxPlayers"], room["gameStatus"]) == (KUHN, 2, "waiting")
    left = await live.http.post("/api/rooms/views/leave", headers=bearer(token))
    assert left.status_code == 200, left.text
    snapshot = await live.casino.room("views")
    assert snapshot.summary is not None
    assert not snapshot.summary.players


async def test_a_socket_without_a_login_is_closed_after_ten_seconds(
    silence: asyncio.Task[tuple[Client, int, float]],
) -> None:
    """A2G-03: with AUTH_REQUIRED."""
    client, code, seconds = await silence
    assert [message["type"] for message in client.seen] == ["hello", "error"]
    assert client.seen[-1]["payload"]["code"] == "AUTH_REQUIRED"
    assert code == 1008
    assert 9 < seconds < 15


async def test_a_login_is_checked_and_what_is_unknown_ignored(live: LiveGateway) -> None:
    """A2G-04, A2G-13: the right token counts after wrong ones; no type or field is an error."""
    token = await guest(live)
    async with websockets.connect(f"{live.socket_url}/ws") as socket:
        client = Client(socket)
        await client.send("sing", {"song": 1})
        sent = await client.send("authenticate", {"token": "x", "protocolVersion": "1.0"})
        await client.until("error", code="AUTH_INVALID", relatedMessageId=sent)
        await client.send("authenticate", {"token": token, "protocolVersion": "2.0"})
        await client.until("error", code="VERSION_UNSUPPORTED")
        await client.send("authenticate", {"token": token, "protocolVersion": "1.0"}, mood="good")
        await client.until("authenticated")
        await client.send("sing", {"song": 2})
        sent = await client.send("heartbeat", {"direction": "ping"})
        await client.until("heartbeat", direction="pong", relatedMessageId=sent)
        kinds = Counter(message["type"] for message in client.seen)
    assert kinds == {"hello": 1, "error": 2, "authenticated": 1, "heartbeat": 1}
