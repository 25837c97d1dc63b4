"""Rows of A2G's acceptance page that need a lobby and tables: all of them run in the test's loop.

`test_socket`, `test_actions` and `test_rest` prove the rows of the messages over one seat.
"""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
import websockets
from casino_player_example.a2g_client.play import play
from casino_player_example.settings import PlayerSettings
from structlog.testing import capture_logs
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
from support.gateway.loop_gateway import LoopGateway, loop_gateway
from support.processes import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")

KUHN = "kuhn_poker"
CHIPS = 400
HANDS = 6


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LoopGateway]:
    """Run a casino whose gateway keeps seats of absent clients for four seconds."""
    async with loop_gateway(reconnect="4s", presence="1s") as running:
        yield running


async def test_every_listed_game_has_a_specification(live: LoopGateway) -> None:
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
    assert {*hello["payload"]["supportedGames"]} == {*listed}


@pytest.mark.parametrize(
    "game_type", [KUHN, "leduc_poker", "blackjack", "roulette", "texas-holdem"]
)
async def test_a_game_is_played_from_its_specification(live: LoopGateway, game_type: str) -> None:
    """A2G-05 to A2G-08: every payload is valid, nothing is refused, chips are booked exactly."""
    room_id = f"play-{game_type}"
    await live.casino.open(room_id, game_type, maxHands=HANDS)
    async with player(live, room_id, game_type) as client:
        seen = await client.play(HANDS)
        kinds = Counter(message["type"] for message in seen)
        assert not kinds["game_error"] + kinds["error"], seen
        assert kinds["round_result"] == HANDS
        assert kinds["player_action_broadcast"] >= HANDS
        assert (kinds["betting_window_open"] > 0) is (game_type == "roulette")
        assert kinds["betting_window_open"] == kinds["betting_window_closed"]
        for result in (m["payload"] for m in seen if m["type"] == "round_result"):
            assert result["totalRake"] == 0
            assert sum(result["scores"].values()) == 0
            for winner in result["winners"]:
                score = result["scores"][winner["playerId"]]
                assert winner["netAmount"] == winner["grossAmount"] == score
        sequences = [message["sequence"] for message in seen[1:]]
        assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
        seat = await join(live, room_id, client.token)

        async def is_booked() -> bool:
            summary = (await live.casino.room(room_id)).summary
            assert summary is not None
            stacks = {each.player_id: each.stack for each in summary.players}
            await client.send("balance_query")
            locked = (await client.until("balance_response"))["payload"]["locked"]
            return summary.status == "idle" and locked == stacks[seat["playerId"]]

        await eventually(is_booked)  # the last hand is booked behind its event


async def test_silence_is_the_default_action(live: LoopGateway) -> None:
    """A2G-10: at the table's clock, sent as TIMEOUT; what comes late is refused."""
    await live.casino.open("quiet", KUHN, maxHands=50, actionTimeoutMs=800, maxTimeouts=50)
    async with player(live, "quiet", KUHN) as client:
        request = await client.request()
        await client.until("game_error", code="TIMEOUT")
        sent = await client.send("submit_action", cheapest(request), turn=request["turn"])
        late = await client.until("game_error", relatedMessageId=sent)
        assert late["payload"]["code"] in {"NOT_YOUR_TURN", "ROUND_COMPLETE"}
        broadcast = await client.until("player_action_broadcast")
        while broadcast["outcome"] != "timeout":
            broadcast = await client.until("player_action_broadcast")


async def test_a_gateway_that_is_started_again_asks_again(live: LoopGateway) -> None:
    """A2G-12: the token, the seat and the question are the same; `system` kills one, too."""
    await live.casino.open("again", KUHN, maxHands=3, actionTimeoutMs=30_000)
    async with player(live, "again", KUHN) as client:
        request = await client.request()
        await live.end()
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


async def test_a_client_that_stays_away_loses_its_seat(live: LoopGateway) -> None:
    """A2G-12: with its chips, which are booked as given back."""
    # A game against the bank goes on with one player; else the table would pause.
    await live.casino.open("gone", "blackjack", maxHands=500, actionTimeoutMs=2_000, paceMs=20)
    async with player(live, "gone", "blackjack") as client:
        await client.play(1)
    await eventually(lambda: has_left(live, client))
    page = await live.http.get("/api/wallet/transactions", headers=bearer(client.token))
    newest, *_, first = page.json()["transactions"]
    assert (first["type"], first["amount"]) == ("deposit", CHIPS)
    assert (newest["type"], newest["balance"]) == ("withdrawal", 0)
    (left,) = [
        one
        for one in await live.casino.payloads("gone", "table_status")
        if one.get("kind") == "left"
    ]
    assert left["stack"] == newest["amount"]


async def has_left(live: LoopGateway, client: A2gPlayer) -> bool:
    """Return whether the chips of a client are booked as given back."""
    reply = await live.http.get("/api/wallet/transactions", headers=bearer(client.token))
    return any(row["type"] == "withdrawal" for row in reply.json()["transactions"])


async def test_rooms_are_joined_and_left(live: LoopGateway) -> None:
    """A2G-16: the lobby's view says who sits there."""
    await live.casino.open("views", KUHN)
    token = await guest(live, "Grace")
    poor = await live.http.post(
        "/api/rooms/views/join", headers=bearer(token), json={"buyIn": 10_000}
    )
    assert (poor.status_code, poor.json()["code"]) == (422, "SEAT_UNAVAILABLE")
    assert "allows 40 to 400" in poor.json()["message"]
    seat = await join(live, "views", token, buyIn=100, seat=1, displayName="Grace")
    assert (seat["seatNumber"], seat["chips"]) == (1, 100)
    assert seat == await join(live, "views", token)

    async def players() -> Any:
        rooms = (await live.http.get("/api/lobby", headers=bearer(token))).json()["rooms"]
        return next(room["players"] for room in rooms if room["id"] == "views")

    async def is_shown() -> bool:
        return bool(await players())

    await eventually(is_shown)
    ((shown),) = await players()
    assert (shown["displayName"], shown["chips"]) == ("Grace", 100)
    left = await live.http.post("/api/rooms/views/leave", headers=bearer(token))
    assert left.status_code == 200, left.text
    summary = (await live.casino.room("views")).summary
    assert summary is not None
    assert not summary.players


@pytest.mark.parametrize(
    "game_type", [KUHN, "texas-holdem", "roulette", "blackjack", "simple_card"]
)
async def test_our_own_client_plays_every_kind_of_game(live: LoopGateway, game_type: str) -> None:
    """No error, no payload that its specification does not describe, no default action."""
    room_id = f"own-{game_type}"
    await live.casino.open(room_id, game_type, maxHands=HANDS, actionTimeoutMs=30_000)
    await live.casino.seat(live.casino.bot, room_id)
    given = {
        "CASINO_PLAYER_STYLE": "generic",
        "CASINO_PLAYER_NAME": f"Ann {game_type}",
        "CASINO_PLAYER_A2G_URL": live.url,
        "CASINO_PLAYER_A2G_ROOM": room_id,
        "CASINO_PLAYER_A2G_ROUNDS": str(HANDS),
    }
    with capture_logs() as logs:
        await play(PlayerSettings.load(given))
    (ended,) = [entry for entry in logs if entry["event"] == "a2g_play_ended"]
    assert ended["rounds"] == HANDS, ended
    assert (ended["refused"], ended["faults"]) == ({}, 0), ended
    assert ended["questions"] == ended["submissions"] >= HANDS // 2
