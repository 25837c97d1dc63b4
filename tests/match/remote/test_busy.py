"""An agent that takes no calls now is left alone for as long as it wants, and then asked again."""

import asyncio

import pytest
from casino_match.domain.block_json import block_digest
from casino_match.errors import MatchSuspended
from support.match.agent_side import by_cards, check_chips, outcomes, plan_of, table_of, undisturbed


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_busy_agent_is_asked_again_when_it_wants_to_be(status: int) -> None:
    """Retry-After is honoured; the block is that of an agent that was never busy."""
    plan = plan_of("a", "b")
    side, player = table_of(by_cards)
    busy = side.refusing(player, after=3, times=2)
    busy.status, busy.retry_after = status, "7"
    block = await (await side.match(plan)).play(0)
    assert [pause.wait_s for pause in side.pauses] == [7.0, 7.0]
    assert f"HTTP status {status}" in side.pauses[0].why
    assert block_digest(block) == block_digest(await undisturbed(plan))


async def test_nobody_asks_an_agent_that_wants_no_call() -> None:
    """In no hand, though four are played at the same time."""
    plan = plan_of("a", "b")
    side, player = table_of(by_cards)
    busy = side.refusing(player, after=3, times=1)
    busy.retry_after = "7"
    sleep = side.clock.sleep

    async def while_others_play(seconds: float) -> None:
        for _ in range(300):
            await asyncio.sleep(0)
        await sleep(seconds)

    side.clock.sleep = while_others_play  # type: ignore[method-assign]
    await (await side.match(plan)).play(0)
    refused_at, *later = busy.times
    assert len(later) > 5
    assert all(time >= refused_at + 7 for time in later)


async def test_a_busy_agent_without_a_time_is_asked_again_ever_later() -> None:
    plan = plan_of({"name": "a", "player": "http://a", "games_at_once": 1}, "b")
    side, player = table_of(by_cards)
    side.refusing(player, after=3, times=4)
    await (await side.match(plan)).play(0)
    waits = [pause.wait_s for pause in side.pauses]
    assert waits == [0.25, 0.5, 1.0, 2.0]


async def test_a_rest_beyond_the_patience_suspends_the_match_at_once() -> None:
    """There is no use in waiting for a part of it."""
    plan = plan_of("a", "b")
    side, player = table_of(by_cards)
    side.refusing(player, after=3, times=9).retry_after = "3600"
    began = side.clock.time
    with pytest.raises(MatchSuspended, match="asks for 3600 s of rest: HTTP status 429"):
        await (await side.match(plan)).play(0)
    assert side.clock.time == began


@pytest.mark.parametrize(("retry_after", "outcome"), [("2", "ok"), ("60", "unreachable")])
async def test_a_busy_agent_has_the_clock_where_missing_answers_count(
    retry_after: str, outcome: str
) -> None:
    """If it wants to be asked again within it, it is."""
    plan = plan_of("a", "b", faults={"no_answer": "default"})
    side, player = table_of(by_cards)
    side.refusing(player, after=3, times=1).retry_after = retry_after
    block = await (await side.match(plan)).play(0)
    assert outcomes(block).get(outcome, 0) >= 1
    assert outcomes(block).get("unreachable", 0) == (outcome == "unreachable")
    assert "malformed" not in outcomes(block)
    check_chips(block)
