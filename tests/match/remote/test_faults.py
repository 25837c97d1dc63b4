"""An agent that hangs, dies, is busy or answers wrongly: waited for, or counted, by the rule."""

import asyncio
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import ActionRequest, ActionResponse, Defaulted, Usage
from casino_contracts.play_counts import REASONS_KEPT
from casino_match.domain.block import block_digest, block_from_json, block_to_json
from casino_match.errors import MatchSuspended, PlayerWrong
from casino_match.results import result_of
from support.match.agent_side import (
    QUICK,
    Fails,
    MatchSide,
    by_cards,
    check_chips,
    defaulted,
    outcomes,
    plan_of,
    table_of,
    undisturbed,
)
from support.players.holdem_players import illegal
from support.processes import eventually
from support.table.table_side import Player, passive


async def test_an_agent_that_hangs_is_asked_again_and_nothing_changes() -> None:
    """The same question, with the same id; the block is that of an agent that never hung."""
    plan = plan_of("a", "b", rules=QUICK)
    hanging = Fails("hangs", times=2)
    side, player = table_of(hanging)
    block = await (await side.match(plan)).play(0)
    assert block_digest(block) == block_digest(await undisturbed(plan))
    asked = [request.request_id for request in player.asked]
    assert len(asked) - len(set(asked)) == 2
    assert [pause.name for pause in side.pauses] == ["a", "a"]
    assert set(side.resumed) == {"a"}
    assert "no reply within" in side.pauses[0].why
    assert set(outcomes(block)) == {"ok"}


async def test_an_agent_that_hangs_is_counted_where_the_plan_says_so() -> None:
    plan = plan_of("a", "b", rules=QUICK, faults={"no_answer": "default"})
    side, _ = table_of(Fails("hangs", times=2))
    block = await (await side.match(plan)).play(0)
    assert outcomes(block)["timeout"] == 2
    assert not side.pauses
    check_chips(block)


async def test_a_match_is_suspended_when_the_agent_stays_away() -> None:
    """The error names it, how long it was gone and what to do; later the match goes on."""
    plan = plan_of("a", "b", faults={"patience": timedelta(seconds=30)})
    side, player = table_of(by_cards)
    match = await side.match(plan)
    dies_at = 4

    def dying(request: ActionRequest) -> ActionResponse:
        if len(player.asked) == dies_at:
            side.stop("a")
        return by_cards(request)

    player.decide = dying
    began = side.clock.time
    with pytest.raises(MatchSuspended) as suspended:
        await match.play(0)
    text = str(suspended.value)
    assert text.startswith("a at http://a/")
    assert "run the same command" in text
    assert 15 <= side.clock.time - began <= 30 + plan.rules.clock.total_seconds() + 5
    assert sum(pause.wait_s for pause in side.pauses) <= 30

    again, _ = table_of(by_cards)
    block = await (await again.match(plan)).play(0)
    assert block_digest(block) == block_digest(await undisturbed(plan))


async def test_an_agent_that_comes_back_in_time_is_not_even_noticed() -> None:
    """Its card is read again; the block is that of an agent that was never gone."""
    plan = plan_of("a", "b", rules={"clock": timedelta(seconds=1)})
    side, player = table_of(by_cards)
    match = await side.match(plan)
    left: list[Any] = []

    def dying(request: ActionRequest) -> ActionResponse:
        if len(player.asked) == 4:
            left.append(side.network.transport.apps.pop("http://a"))
        return by_cards(request)

    player.decide = dying
    sleep = side.clock.sleep

    async def back_after_two_pauses(seconds: float) -> None:
        await sleep(seconds)
        if left and len(side.pauses) >= 2:
            side.network.transport.apps["http://a"] = left.pop()

    side.clock.sleep = back_after_two_pauses  # type: ignore[method-assign]
    block = await match.play(0)
    assert len(side.pauses) >= 2  # several hands are played at a time
    assert block_digest(block) == block_digest(await undisturbed(plan))


async def test_an_agent_that_is_gone_is_counted_where_the_plan_says_so() -> None:
    plan = plan_of("a", "b", faults={"no_answer": "default"})
    side, _ = table_of(by_cards)
    match = await side.match(plan)
    side.stop("a")
    block = await match.play(0)
    assert set(outcomes(block)) == {"unreachable"}
    assert all("f" in hand or "cc" in hand for deck in block.decks for hand in deck.hands)
    check_chips(block)


@pytest.mark.parametrize(
    ("times", "outcome", "other"), [(1, "retried", "ok"), (2, "illegal", "ok")]
)
async def test_a_wrong_answer_has_a_second_attempt_and_is_counted(
    times: int, outcome: str, other: str
) -> None:
    plan = plan_of({"name": "a", "player": "http://a", "games_at_once": 1}, "b")
    side, player = table_of(Fails("answers wrongly", times=times))
    block = await (await side.match(plan)).play(0)
    assert outcomes(block)[outcome] == 1
    assert set(outcomes(block)) == {outcome, other}
    second = player.asked[5]
    assert second.rejected is not None
    assert second.rejected.reason == "illegal"
    assert second.request_id == f"{(player.asked[4].request_id or '')[:-1]}2"
    check_chips(block)


async def test_a_wrong_answer_stops_the_match_where_the_plan_says_so() -> None:
    plan = plan_of("a", "b", faults={"wrong_answer": "stop"})
    side, _ = table_of(illegal)
    with pytest.raises(PlayerWrong, match=r"a at http://a/.* in deck \d+, seating \d.* legal are"):
        await (await side.match(plan)).play(0)


async def test_a_function_beside_agents_that_never_returns_suspends_the_match(
    tmp_path: Path,
) -> None:
    """The error names it; the agents are not waited for, and its thread ends."""
    before = {*threading.enumerate()}
    file = tmp_path / "bot.py"
    file.write_text("def act(turn):\n    while True:\n        pass\n")
    plan = plan_of(
        {"name": "endless", "player": f"{file}:act"},
        "b",
        rules=QUICK,
        faults={"patience": timedelta(milliseconds=100)},
    )
    side, _ = table_of(by_cards)
    with pytest.raises(MatchSuspended, match="endless has not returned"):
        await (await side.match(plan)).play(0)

    async def has_ended() -> bool:
        return not {*threading.enumerate()} - before

    await eventually(has_ended)


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


async def test_an_agent_that_defaults_is_asked_again_until_it_decides() -> None:
    """Under other ids; every decision is its own, and the cost of all answers counts."""
    plan = plan_of({"name": "a", "player": "http://a", "games_at_once": 1}, "b")
    side, player = table_of(Fails("defaults", times=2))
    block = await (await side.match(plan)).play(0)
    assert block_digest(block) == block_digest(await undisturbed(plan))
    assert set(outcomes(block)) == {"ok"}
    ids = [(request.request_id or "").rpartition(":") for request in player.asked[4:7]]
    assert len({question for question, _, _ in ids}) == 1
    assert [attempt for _, _, attempt in ids] == ["1", "3", "5"]
    fourth, fifth, sixth = (
        request.model_copy(update={"request_id": ""}) for request in player.asked[4:7]
    )
    assert fourth == fifth == sixth
    assert [pause.why for pause in side.pauses] == [
        "only a default, model_failed: 401 Incorrect API key provided"
    ] * 2
    costs = block.conduct[0].reported.costs
    assert (costs.decisions, costs.input_tokens, costs.models) == (1, 200, ["small"])


async def test_an_agent_that_only_defaults_suspends_the_match() -> None:
    """In the words of its program, and nothing comes of the block; away is a default, too."""
    for decide, words in (
        (defaulted, "model_failed: 401 Incorrect API key provided"),
        (lambda request: passive(request).model_copy(update={"away": True}), "away"),
    ):
        plan = plan_of("a", "b")
        side, _ = table_of(decide)
        with pytest.raises(MatchSuspended, match=f"a at http://a/.* only a default, {words}"):
            await (await side.match(plan)).play(0)
        assert side.clock.time > 50


async def test_defaults_count_as_checks_and_folds_where_the_plan_says_so() -> None:
    """Whatever the program would have played."""
    plan = plan_of("a", "b", faults={"no_answer": "default"})
    side, _ = table_of(defaulted)
    block = await (await side.match(plan)).play(0)
    folding = await (await table_of(passive)[0].match(plan)).play(0)
    assert block.decks == folding.decks
    assert set(outcomes(block)) == {"defaulted"}
    assert block.conduct[0].defaulted == {"model_failed": outcomes(block)["defaulted"]}
    assert block_from_json(block_to_json(block), plan, 0) == block
    result = result_of(plan, [block])
    (failed, sound), (pair,) = result.players, result.pairs
    assert failed.defaulted is not None
    assert [(each.reason, each.count, each.detail) for each in failed.defaulted] == [
        ("model_failed", failed.decisions, "401 Incorrect API key provided")
    ]
    assert (sound.defaulted, result.unjudged, pair.verdict) == (None, ("a",), "undecided")
    assert pair.sentence.startswith("No verdict: ")


async def test_the_model_of_a_signup_and_costs_are_in_the_result() -> None:
    def thinking(request: ActionRequest) -> ActionResponse:
        usage = Usage(model="small-2", input_tokens=90, output_tokens=10, cost_usd=0.001)
        return by_cards(request).model_copy(update={"usage": usage})

    plan = plan_of("a", "b")
    side = MatchSide(Player("a", thinking, profile={"model": "small"}), Player("b", by_cards))
    block = await (await side.match(plan)).play(0)
    assert block_digest(block) == block_digest(await undisturbed(plan))
    player, other = result_of(plan, [block_from_json(block_to_json(block), plan, 0)]).players
    assert player.models == ("small", "small-2")
    assert player.costs is not None
    assert player.costs.input_tokens == 90 * player.decisions
    assert player.costs.usd_per_100_hands == pytest.approx(player.decisions * 0.001 / 8 * 100)
    adjusted = player.estimates[-1].bb_per_100
    assert player.costs.won_per_1000_tokens == pytest.approx(
        adjusted / (player.costs.tokens_per_100_hands / 1_000), rel=0.01
    )
    assert (other.models, other.costs) == (None, None)


async def test_a_program_with_many_reasons_has_few_counted() -> None:
    """Each may be any word: further ones count as `other`."""
    asked: list[ActionRequest] = []

    def wordy(request: ActionRequest) -> ActionResponse:
        asked.append(request)
        why = Defaulted(reason=f"word_{len(asked)}", detail="why not")
        return passive(request).model_copy(update={"defaulted": why})

    plan = plan_of("a", "b", decks=30, faults={"no_answer": "default"})
    side, _ = table_of(wordy)
    counted = (await (await side.match(plan)).play(0)).conduct[0]
    assert len(counted.defaulted) == len(counted.reported.details) == REASONS_KEPT + 1
    assert counted.defaulted["other"] == len(asked) - REASONS_KEPT
