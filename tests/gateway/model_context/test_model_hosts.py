"""Hosts of models, of the official SDK's client: slow, cut off, connected anew, or too late."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client
from support.gateway.live_gateway import LoopGateway, loop_gateway

Json = dict[str, Any]
HANDS = 5
THINKS_S = 20.0
CUT_AFTER_S = 10.0


@pytest_asyncio.fixture
async def live() -> AsyncIterator[LoopGateway]:
    """Run a gateway and a room for two whose questions a model may think about for 30 s."""
    async with loop_gateway() as live:
        await live.open("main", "kuhn_poker", maxHands=HANDS, maxActionTimeoutMs=30_000)
        yield live


@asynccontextmanager
async def host(live: LoopGateway) -> AsyncIterator[Client]:
    async with Client(f"{live.url}/mcp") as client:
        yield client


async def called(client: Client, tool: str, **arguments: Any) -> Json:
    """Return the result of a tool that does not refuse."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    result: Json = answer.structured_content or {}
    return result


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer
    return str(answer.content[0].model_dump()["text"])


async def sat_down(live: LoopGateway) -> str:
    """Take a seat, before a player takes the other one; returns the seat."""
    async with host(live) as client:
        seat = str((await called(client, "sit_down", room="main", name="Model"))["seat"])
    await live.casino.seat(live.bot, "main")
    return seat


async def asked(client: Client, seat: str) -> Json:
    """Return the next question, or the report that the session is over."""
    while True:
        report = await called(client, "wait_for_turn", seat=seat)
        if report["status"] in {"your_turn", "over"}:
            return report


async def act(client: Client, seat: str, report: Json) -> None:
    kind = report["legal_actions"][0]["action_type"]
    await called(client, "act", seat=seat, turn=report["turn"], action=kind)


async def check_all_own(live: LoopGateway) -> None:
    """Check that the session is over, and that no decision was refused or made by the table."""
    outcomes = await live.casino.outcomes("main")
    assert len(outcomes) == 2
    assert all(set(of_player) == {"ok"} for of_player in outcomes.values()), outcomes
    assert len((await live.casino.audit("main")).completed) == HANDS


async def test_a_model_may_think_20_s_about_each_turn(live: LoopGateway) -> None:
    seat = await sat_down(live)
    async with host(live) as client:
        while (report := await asked(client, seat))["status"] != "over":
            assert THINKS_S < report["time_left_s"] <= 30  # of the loop's virtual time
            await asyncio.sleep(THINKS_S)
            await act(client, seat, report)
    await check_all_own(live)


async def test_a_host_cuts_calls_off_after_10_s(live: LoopGateway) -> None:
    """The cut call costs nothing: the next one has the turn, and so has the one after it."""
    async with host(live) as client:
        seat = str((await called(client, "sit_down", room="main", name="Model"))["seat"])
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(CUT_AFTER_S):  # virtual: the host's own limit
                await called(client, "wait_for_turn", seat=seat)
        await live.casino.seat(live.bot, "main")
        while (report := await asked(client, seat))["status"] != "over":
            again = await called(client, "wait_for_turn", seat=seat)
            assert (again["turn"], again["since"]) == (report["turn"], report["since"])
            await act(client, seat, report)
    await check_all_own(live)


async def test_a_host_connects_anew_for_every_call(live: LoopGateway) -> None:
    """A seat is named by what sit_down returned, also at a gateway that was started again."""
    seat = await sat_down(live)
    restarts = 0
    while True:
        async with host(live) as client:
            report = await asked(client, seat)
        if report["status"] == "over":
            break
        if restarts == 0:
            await live.end()
            await live.start()
            restarts += 1
        async with host(live) as client:
            await act(client, seat, await asked(client, seat))
    assert restarts == 1
    await check_all_own(live)


async def test_an_answer_to_the_turn_before_hits_no_other_turn(live: LoopGateway) -> None:
    """It is refused with the next step, and the open question waits unhurt."""
    seat = await sat_down(live)
    late: list[Json] = []
    async with host(live) as client:
        while (report := await asked(client, seat))["status"] != "over":
            for before in late:
                kind = before["legal_actions"][0]["action_type"]
                said = await refusal(client, "act", seat=seat, turn=before["turn"], action=kind)
                assert f"The question of turn {report['turn']} is open" in said
            assert (await called(client, "wait_for_turn", seat=seat))["turn"] == report["turn"]
            await act(client, seat, report)
            late.append(report)
        for before in late:
            said = await refusal(client, "act", seat=seat, turn=before["turn"], action="fold")
            assert "call standings" in said
    assert len(late) >= HANDS
    await check_all_own(live)


async def test_the_end_of_a_session_is_told_at_once(live: LoopGateway) -> None:
    """With the last hand, also when it is asked for later: not when the wait's slice is over."""
    now = asyncio.get_running_loop().time
    seat = await sat_down(live)
    async with host(live) as client:
        while (report := await asked(client, seat))["status"] != "over":
            await act(client, seat, report)
            acted = now()
        assert now() - acted < CUT_AFTER_S  # virtual
        again = await called(client, "wait_for_turn", seat=seat)
        assert now() - acted < CUT_AFTER_S  # virtual
    assert again["since"] == report["since"]
    assert "hand_completed" in {happened["data"]["event"] for happened in again["since"]}


async def test_who_sits_down_after_the_session_is_told_so(live: LoopGateway) -> None:
    """A model would wait in vain; the next step is another room, or one of its own."""
    seat = await sat_down(live)
    async with host(live) as client:
        while (report := await asked(client, seat))["status"] != "over":
            await act(client, seat, report)
        await called(client, "leave", seat=seat)
        taken = await called(client, "sit_down", room="main", name="Late")
        assert "start_practice" in taken["next"]
        report = await called(client, "wait_for_turn", seat=taken["seat"])
        assert report["status"] == "over"
