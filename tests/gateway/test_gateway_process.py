"""Gateway and evaluator as processes beside one casino: a SIGKILL costs nothing, SIGTERM ends."""

import asyncio
from collections.abc import AsyncIterator
from signal import SIGTERM

import pytest
import pytest_asyncio
from support.evaluator.arc_client import KEY, ArcClient
from support.evaluator.live_evaluator import evaluator_of
from support.gateway.a2g_client import connected, guest, join, specification
from support.gateway.boardgame_matches import KUHN, play_out, take_first, to_decide
from support.gateway.live_gateway import LiveGateway, live_gateway
from support.processes import eventually

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="module")]

HANDS = 3


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[LiveGateway]:
    async with live_gateway() as running:
        yield running


async def test_seats_of_both_protocols_last_over_a_killed_gateway(live: LiveGateway) -> None:
    """A2G-12, BGP-31: same tokens, seats and question; every decision is the player's own, once."""
    await live.open("both", KUHN, maxHands=HANDS, actionTimeoutMs=30_000)
    token = await guest(live.http)
    joined = await join(live.http, "both", token)
    spec = await specification(live.http, KUHN, token)
    seat = await live.sit("both", "Bob")
    async with connected(live, token, spec) as client:
        await client.sign_in(token)
        playing = asyncio.create_task(client.play(HANDS))
        _, before = await to_decide(seat)
        await live.kill()
        playing.cancel()
    await live.start()
    async with connected(live, token, spec) as client:
        await client.sign_in(token)
        _, again = await to_decide(seat)
        assert again["turn"] == before["turn"]
        assert again["state"]["data"]["private"] == before["state"]["data"]["private"]
        assert (await take_first(seat, again))["status"] == "success"
        assert (await take_first(seat, again))["data"]["code"] in {"STALE_TURN", "MATCH_ENDED"}
        await asyncio.gather(client.play(HANDS), play_out(seat))
    taken = [
        e.payload or {} for e in await live.casino.events("both") if e.event_type == "action_taken"
    ]
    assert {payload["playerId"] for payload in taken} == {joined["playerId"], seat.agent_id}
    assert {payload["outcome"] for payload in taken} == {"ok"}
    summary = (await live.casino.until("idle", room_id="both")).summary
    assert summary is not None
    assert sum(player.stack for player in summary.players) == 800
    assert await live.end(SIGTERM) == 0


async def test_an_examination_lasts_over_a_killed_evaluator(live: LiveGateway) -> None:
    """EV-30: level, score, deal and card are those of before; no key is logged."""
    await live.casino.host_tables(1, CASINO_TABLE_LOBBY_URL=live.casino.lobby.url)
    async with evaluator_of(live.casino) as evaluator:
        client = evaluator.client()
        card = await client.open()
        frame = await client.check_until(await client.begin("kuhn", card), 1)
        before = await client.card(card)
        path = f"cmd/{frame['guid']}/observation"
        seen = (await client.get(path)).json()
        await evaluator.kill()
        await evaluator.start()
        assert await client.card(card) == before

        async def is_as_before() -> bool:
            return bool((await client.get(path)).json() == seen)

        await eventually(is_as_before)
        assert (await client.check_until(frame))["state"] == "WIN"
        await ArcClient(evaluator.http, "a-key-that-somebody-tries").get("games")
        log = "".join(evaluator.lines)
        assert "request_refused" in log
        assert KEY not in log
        assert "a-key-that-somebody-tries" not in log
        assert await evaluator.end(SIGTERM) == 0
