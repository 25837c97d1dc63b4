"""Rows of A2G's acceptance page that need a lobby and tables: all of them run in the test's loop.

`test_socket`, `test_actions` and `test_rest` prove the rows of the messages over one seat.
"""

from collections import Counter
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from casino_agentkit.canonical_json import encoded
from casino_agentkit.fair_deal import commitment_to
from casino_player_example.a2g_client.a2g_play import play
from casino_player_example.settings import PlayerSettings
from structlog.testing import capture_logs
from support.gateway.a2g_client import A2gPlayer, bearer, connected, join, player
from support.gateway.live_gateway import LoopGateway, loop_gateway
from support.players.model_server import ModelServer, sensible, serving, status
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


@pytest.mark.parametrize("game_type", ["roulette", "texas-holdem"])
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
        seat = await join(live.http, room_id, client.token)

        async def is_booked() -> bool:
            summary = (await live.casino.room(room_id)).summary
            assert summary is not None
            stacks = {each.player_id: each.stack for each in summary.players}
            await client.send("balance_query")
            locked = (await client.until("balance_response"))["payload"]["locked"]
            return summary.status == "idle" and locked == stacks[seat["playerId"]]

        await eventually(is_booked)  # the last hand is booked behind its event


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


async def test_a_person_who_closes_the_page_is_waited_for_once() -> None:
    """For ten seconds, not the whole clock; after three hands the seat is free."""
    async with loop_gateway(reconnect="1h", presence="10s") as live:
        await live.casino.open("closed", "blackjack", maxHands=500, actionTimeoutMs=30_000)
        async with player(live, "closed", "blackjack", playerType="human") as client:
            await client.play(1)
            await client.request()
        await eventually(lambda: is_given_back(live))
        decisions = await live.casino.payloads("closed", "action_taken")
        waits_ms = [one["latencyMs"] for one in decisions if one["outcome"] == "away"]
        assert 9_000 < waits_ms[0] < 11_000
        assert max(waits_ms[1:]) < 1_000
        statuses = await live.casino.payloads("closed", "table_status")
        assert "returned" not in [one["kind"] for one in statuses]
        (left,) = [one for one in statuses if one["kind"] == "left"]
        assert left["reason"] == "away"


async def is_given_back(live: LoopGateway) -> bool:
    """Return whether the gateway has counted a seat that was given back for nobody's sake."""
    metrics = (await live.http.get("/metrics")).text
    return "casino_gateway_seats_given_back_total 1.0" in metrics


async def has_left(live: LoopGateway, client: A2gPlayer) -> bool:
    """Return whether the chips of a client are booked as given back."""
    reply = await live.http.get("/api/wallet/transactions", headers=bearer(client.token))
    return any(row["type"] == "withdrawal" for row in reply.json()["transactions"])


@pytest.mark.parametrize("game_type", [KUHN, "blackjack"])
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


async def test_a_model_that_fails_does_not_decide_at_our_gateway_either(live: LoopGateway) -> None:
    """The client says so, which A2G has no field for; the table, the room and its log count it."""
    await live.casino.open("failing", KUHN, maxHands=2, actionTimeoutMs=30_000)
    await live.casino.seat(live.casino.bot, "failing")
    model = ModelServer(sensible, status(401, "Incorrect API key provided"))
    async with serving(model) as url:
        given = {
            "CASINO_PLAYER_STYLE": "llm",
            "CASINO_PLAYER_NAME": "Failing",
            "CASINO_PLAYER_LLM_MODEL": "openai:stand-in",
            "CASINO_PLAYER_LLM_BASE_URL": url,
            "CASINO_PLAYER_LLM_API_KEY": "sk-wrong",
            "CASINO_PLAYER_A2G_URL": live.url,
            "CASINO_PLAYER_A2G_ROOM": "failing",
            "CASINO_PLAYER_A2G_ROUNDS": "2",
        }
        with capture_logs() as logs:
            await play(PlayerSettings.load(given))
    (ended,) = [entry for entry in logs if entry["event"] == "a2g_play_ended"]
    assert ended["defaults"] == {"provider_away": ended["submissions"]}
    taken = await live.casino.payloads("failing", "action_taken")
    reasons = [one["defaulted"]["reason"] for one in taken if one["outcome"] == "defaulted"]
    assert reasons == ["provider_away"] * ended["submissions"]


@pytest.mark.parametrize(("kind", "is_silent"), [("human", False), ("human", True), ("ai", True)])
async def test_a_seat_has_a_part_in_the_deal(
    live: LoopGateway, kind: str, *, is_silent: bool
) -> None:
    """A person by the own page or not at all; a program by the gateway, which asks it nothing."""
    room_id, entropy = f"fair-{kind}-{is_silent}", bytes(range(32))
    await live.casino.open(room_id, KUHN, maxHands=2)
    async with player(live, room_id, KUHN, playerType=kind) as client:
        for part in () if is_silent else ("commitment", "entropy"):
            block = (await client.until("contribution_request"))["payload"]["block"]
            given = commitment_to(entropy) if part == "commitment" else encoded(entropy)
            await client.send("contribution", {"block": block, part: given}, tableId=room_id)
        seen = await client.play(2)
        asked = [message["type"] for message in seen].count("contribution_request")
        assert asked == (0 if kind == "ai" else 1 if is_silent else 2)
        own = (await join(live.http, room_id, client.token))["playerId"]
        fair = (await live.casino.room(room_id)).fair
        assert fair is not None
        has_part = kind == "ai" or not is_silent
        assert fair.contributors == (("lobby", own) if has_part else ("lobby",))
        assert not fair.missing
