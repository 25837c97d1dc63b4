"""An agent that hangs, dies, is busy or answers wrongly: waited for, or counted, by the rule.

Nothing is ever decided in its place without being counted, and the chips add up to 0.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from casino_contracts import ActionRequest, ActionResponse
from casino_match.domain.block import Block
from casino_match.domain.block_json import block_digest
from casino_match.domain.plan import Plan
from casino_match.errors import InvalidPlan, MatchSuspended, PlayerFailed, PlayerWrong
from casino_match.players.agent_version import version_of_card
from casino_match.players.remote_card import read_version
from starlette.types import Receive, Scope, Send
from support.match.agent_side import MatchSide, Refusing, by_cards, plan_of
from support.players.holdem_players import illegal
from support.table.table_side import Player

QUICK = {"clock": timedelta(milliseconds=60)}
"""For agents that never answer: each question costs so much real time."""


class Fails:
    """Decides by cards; question number `at` and the next ones fail in a way."""

    def __init__(self, way: str, at: int = 5, times: int = 1) -> None:
        self._way = way
        self._at = at
        self._times = times
        self.asked = 0
        self.answers: dict[str, ActionResponse] = {}

    async def __call__(self, request: ActionRequest) -> ActionResponse:
        """Decide, hang or raise."""
        self.asked += 1
        if self._at <= self.asked < self._at + self._times:
            if self._way == "hangs":
                await asyncio.Event().wait()
            return illegal(request)
        return by_cards(request)


def table_of(decide: Any) -> tuple[MatchSide, Player]:
    """Return the side of a match between an agent `a` that decides so, and a sound agent `b`."""
    player = Player("a", decide)
    return MatchSide(player, Player("b", by_cards)), player


async def undisturbed(plan: Plan) -> Block:
    """Return the block of two sound agents."""
    return await (await table_of(by_cards)[0].match(plan)).play(0)


def outcomes(block: Block) -> dict[Any, int]:
    """Return the outcomes of the first player's decisions."""
    return dict(block.conduct[0].outcomes)


def check_chips(block: Block) -> None:
    """Check that every deck's results add up to 0."""
    assert all(sum(deck.net) == 0 for deck in block.decks)


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
    assert "no reply within" in side.pauses[0].why
    assert set(outcomes(block)) == {"ok"}


async def test_an_agent_that_hangs_is_counted_where_the_plan_says_so() -> None:
    """It checks or folds, as at a table."""
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
        if left and len(side.pauses) == 2:
            side.network.transport.apps["http://a"] = left.pop()

    side.clock.sleep = back_after_two_pauses  # type: ignore[method-assign]
    block = await match.play(0)
    assert len(side.pauses) == 2
    assert block_digest(block) == block_digest(await undisturbed(plan))


async def test_an_agent_that_is_gone_is_counted_where_the_plan_says_so() -> None:
    """Every later decision is the default, and unreachable."""
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
    """With why the first one was refused."""
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
    """The error names player, hand, answer and fix."""
    plan = plan_of("a", "b", faults={"wrong_answer": "stop"})
    side, _ = table_of(illegal)
    with pytest.raises(PlayerWrong, match=r"a at http://a/.* in deck \d+, seating \d.* legal are"):
        await (await side.match(plan)).play(0)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_busy_agent_is_asked_again_when_it_wants_to_be(status: int) -> None:
    """Retry-After is honoured; the block is that of an agent that was never busy."""
    plan = plan_of("a", "b")
    side, player = table_of(by_cards)
    busy = Refusing(side, player, after=3, times=2)
    busy.status, busy.retry_after = status, "7"
    block = await (await side.match(plan)).play(0)
    assert [pause.wait_s for pause in side.pauses] == [7.0, 7.0]
    assert f"HTTP status {status}" in side.pauses[0].why
    assert block_digest(block) == block_digest(await undisturbed(plan))


async def test_nobody_asks_an_agent_that_wants_no_call() -> None:
    """In no hand, though four are played at the same time."""
    plan = plan_of("a", "b")
    side, player = table_of(by_cards)
    busy = Refusing(side, player, after=3, times=1)
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
    """Nobody floods it."""
    plan = plan_of({"name": "a", "player": "http://a", "games_at_once": 1}, "b")
    side, player = table_of(by_cards)
    Refusing(side, player, after=3, times=4)
    await (await side.match(plan)).play(0)
    waits = [pause.wait_s for pause in side.pauses]
    assert waits == [0.25, 0.5, 1.0, 2.0]


async def test_a_rest_beyond_the_patience_suspends_the_match_at_once() -> None:
    """There is no use in waiting for a part of it."""
    plan = plan_of("a", "b")
    side, player = table_of(by_cards)
    Refusing(side, player, after=3, times=9).retry_after = "3600"
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
    Refusing(side, player, after=3, times=1).retry_after = retry_after
    block = await (await side.match(plan)).play(0)
    assert outcomes(block).get(outcome, 0) >= 1
    assert outcomes(block).get("unreachable", 0) == (outcome == "unreachable")
    assert "malformed" not in outcomes(block)
    check_chips(block)


@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_a_function_beside_agents_that_never_returns_suspends_the_match(
    kind: str, tmp_path: Path
) -> None:
    """The error names it; the agents are not waited for."""
    file = tmp_path / "bot.py"
    file.write_text(f"{kind} act(turn):\n    while True:\n        pass\n")
    plan = plan_of(
        {"name": "endless", "player": f"{file}:act"},
        "b",
        rules=QUICK,
        faults={"patience": timedelta(milliseconds=100)},
    )
    side, _ = table_of(by_cards)
    with pytest.raises(MatchSuspended, match="endless has not returned"):
        await (await side.match(plan)).play(0)


# The card.


async def test_an_agent_that_is_not_there_cannot_be_signed_up() -> None:
    """The error says which one, and what to do."""
    side, _ = table_of(by_cards)
    side.stop("b")
    for at_once in (1, 4):
        absent = {"name": "b", "player": "http://b", "games_at_once": at_once}
        with pytest.raises(PlayerFailed, match=r"b cannot be signed up: http://b.* Start the"):
            await side.match(plan_of("a", absent))
    with pytest.raises(PlayerFailed, match="the card of the agent cannot be read"):
        await read_version(side.network.client(), plan_of("a", "b").players[1])


async def test_a_card_that_hangs_costs_each_hand_its_clock_and_no_more() -> None:
    """Though several hands wait for the same reading."""
    plan = plan_of("a", "b", rules=QUICK, faults={"no_answer": "default"})
    side, player = table_of(by_cards)
    match = await side.match(plan)
    serving = side.network.transport.apps["http://a"]
    hung: list[str] = []

    async def hang(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "GET":
            hung.append(scope["path"])
            await asyncio.Event().wait()
        await serving(scope, receive, send)

    side.network.transport.apps["http://a"] = hang
    match._remote[0]._card.forget("")
    began = asyncio.get_running_loop().time()
    block = await match.play(0)
    took = asyncio.get_running_loop().time() - began
    assert hung
    assert set(outcomes(block)) == {"timeout"}
    assert not player.asked
    assert took < 10
    check_chips(block)


async def test_another_stack_than_the_match_has_is_refused() -> None:
    """Every hand begins with the plan's."""
    side = MatchSide(Player("a", by_cards, buyIn=150), Player("b", by_cards))
    with pytest.raises(PlayerFailed, match="a asks for 150 chips.* begins with 200"):
        await side.match(plan_of("a", "b"))


async def test_a_changed_card_is_another_player() -> None:
    """When the match is resumed, and when an agent comes back in the middle of it."""
    side, _ = table_of(by_cards)
    sound = plan_of("a", "b").players[0]
    version = await read_version(side.network.client(), sound)
    plan = plan_of(sound.model_copy(update={"version": version}).model_dump(), "b")
    match = await side.match(plan)
    side.serve("a", Player("better", by_cards).agent())
    await match.play(0)  # its card is read once
    with pytest.raises(InvalidPlan, match="the card of a at .* is another one than when the plan"):
        await side.match(plan)

    side, player = table_of(by_cards)
    match = await side.match(plan)
    side.stop("a")
    sleep = side.clock.sleep

    async def back_with_another_card(seconds: float) -> None:
        side.serve("a", Player("better", by_cards).agent())
        await sleep(seconds)

    side.clock.sleep = back_with_another_card  # type: ignore[method-assign]
    with pytest.raises(InvalidPlan, match="Serve that version again"):
        await match.play(0)
    assert not player.asked


def test_the_version_of_a_card_is_what_it_says() -> None:
    """Not its form, its signatures or where it is served."""
    card = b'{"name": "A", "version": "1", "supportedInterfaces": [{"url": "http://a:1/rpc"}]}'
    moved = (
        b'{"version":"1","name":"A","url":"http://b","signatures":[{"signature":"x"}],'
        b'"supportedInterfaces":[{"url":"http://b:2/rpc"}]}'
    )
    assert version_of_card(card) == version_of_card(moved)
    assert version_of_card(card) != version_of_card(card.replace(b'"1"', b'"2"'))
    with pytest.raises(ValueError, match="no JSON object"):
        version_of_card(b"[]")


async def test_arguments_are_in_the_invitation() -> None:
    """Of the player that has some; each table has an invitation with a token of its own."""
    player, other = Player("a", by_cards), Player("b", by_cards)
    side = MatchSide(player, other)
    await side.match(plan_of({"name": "a", "player": "http://a", "arguments": {"depth": 3}}, "b"))
    assert [invited.arguments for invited in player.invited] == [{"depth": 3}] * 4
    assert {invited.arguments for invited in other.invited} == {None}
    assert len({invited.table_id for invited in player.invited}) == 4
    tokens = {invited.seat_token for invited in (*player.invited, *other.invited)}
    assert len(tokens) == 8
