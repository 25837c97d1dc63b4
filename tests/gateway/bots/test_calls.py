"""Calls of a bot that dialled in: down its connection, for those who may, within limits."""

import asyncio
from typing import Any

import pytest
from casino_gateway.bots.dialled_bot import BotLimits
from support.gateway.bots_side import ACT, BotsSide, Json, Line, bots_side, output_of, reason_of
from support.gateway.seat_side import advance

PASS: Json = {"action_type": "PASS"}
SIGNUP: Json = {"casinoName": "C", "tableId": "t1", "roomId": "green", "playerId": "player-1"}


async def answered(side: BotsSide, line: Line, welcome: Json, answer: Json, **call: str) -> Json:
    """Call `act`, and let the bot answer with the fields of a frame."""
    calling = asyncio.create_task(side.call(welcome, "act", ACT, **call))
    frame = await line.next()
    assert (frame["skill"], frame["data"]) == ("act", ACT)
    await line.send({"id": frame["id"], **answer})
    return await calling


async def test_a_question_goes_down_the_connection_and_the_answer_up() -> None:
    """The agent at the gateway has the bot's name and skills."""
    async with bots_side() as side, side.connected() as line:
        welcome = await line.hello(name="Mine")
        card = (await side.card(welcome)).json()
        assert card["name"] == "Mine"
        assert [skill["id"] for skill in card["skills"]] == ["signup", "act"]
        reply = await answered(side, line, welcome, {"data": {"action": "call"}})
        assert output_of(reply) == {"action": "call"}


async def test_a_bot_that_offers_it_contributes_by_itself() -> None:
    """The gateway reads nothing of it; a bot that is gone takes no part."""
    asked: Json = {"tableId": "t1", "block": "green/1/0", "playerId": "player-1"}
    async with bots_side() as side:
        async with side.connected() as line:
            welcome = await line.hello(skills=["signup", "act", "contribute"])
            calling = asyncio.create_task(side.call(welcome, "contribute", asked))
            frame = await line.next()
            assert (frame["skill"], frame["data"]) == ("contribute", asked)
            await line.send({"id": frame["id"], "data": {"commitment": "A" * 43}})
            assert output_of(await calling) == {"commitment": "A" * 43}
        await side.until_gone()
        assert reason_of(await side.call(welcome, "contribute", asked)) == "BOT_AWAY"


async def test_what_the_bot_says_of_an_error_reaches_the_caller() -> None:
    async with bots_side() as side, side.connected() as line:
        welcome = await line.hello()
        for error, reason, text in (
            ({"reason": "NO_IDEA", "message": "no\x1b idea"}, "NO_IDEA", "no idea"),
            ("division by zero", "BOT_FAILED", "division by zero"),
            ({"reason": "so what"}, "BOT_FAILED", "The bot says no reason."),
        ):
            reply = await answered(side, line, welcome, {"error": error})
            assert reason_of(reply) == reason
            assert text in reply["error"]["message"]


async def test_a_bot_that_is_gone_fails_its_calls_at_once() -> None:
    """An open one too; the card says 503, so that the table may try again later."""
    async with bots_side() as side:
        async with side.connected() as line:
            welcome = await line.hello()
            calling = asyncio.create_task(side.call(welcome, "act", ACT))
            await line.next()
        assert reason_of(await calling) == "BOT_AWAY"
        await side.until_gone()
        reply = await side.call(welcome, "act", ACT)
        assert reason_of(reply) == "BOT_AWAY"
        assert "It keeps its seat and may return." in reply["error"]["message"]
        assert (await side.card(welcome)).status_code == 503
        async with side.connected() as line:
            assert await line.hello(token=welcome["token"]) == welcome
            assert (await side.card(welcome)).status_code == 200
            reply = await answered(side, line, welcome, {"data": {"action": "call"}})
            assert output_of(reply) == {"action": "call"}


@pytest.mark.parametrize(
    ("offered", "default"),
    [
        ({"legalActions": ["fold", "call"]}, "fold"),
        ({"legalActions": ["check", "bet"]}, "check"),
        ({"availableActions": [{"action_type": "BET"}, {"action_type": "PASS"}]}, PASS),
    ],
)
async def test_questions_to_a_bot_that_is_gone_are_answered_by_default(
    offered: Json, default: Any
) -> None:
    """The answer says so, so that no table takes it for a wrong answer of the bot."""
    async with bots_side() as side:
        async with side.connected() as line:
            welcome = await line.hello()
            calling = asyncio.create_task(side.call(welcome, "act", {**ACT, **offered}))
            await line.next()
        broken = output_of(await calling)
        await side.until_gone()
        gone = output_of(await side.call(welcome, "act", {**ACT, **offered}))
    assert broken["action"] == gone["action"] == default
    assert broken["defaulted"]["reason"] == gone["defaulted"]["reason"] == "disconnected"
    assert "its connection broke before it answered" in broken["defaulted"]["detail"]
    assert "It keeps its seat and may return." in gone["defaulted"]["detail"]


@pytest.mark.parametrize("offers", [7, [], [{}], ["BET"], [{"action_type": 5}]])
async def test_an_unreadable_question_to_a_bot_that_is_gone_is_refused(offers: Any) -> None:
    async with bots_side() as side:
        async with side.connected() as line:
            welcome = await line.hello()
        await side.until_gone()
        for name in ("availableActions", "legalActions"):
            reply = await side.call(welcome, "act", {**ACT, name: offers})
            assert "result" in reply or reason_of(reply) == "BOT_AWAY"


async def test_a_newer_connection_replaces_the_older() -> None:
    async with bots_side() as side, side.connected() as older:
        welcome = await older.hello()
        calling = asyncio.create_task(side.call(welcome, "act", ACT))
        await older.next()
        async with side.connected() as newer:
            await newer.hello(token=welcome["token"])
            assert reason_of(await calling) == "BOT_AWAY"
            await older.socket.wait_closed()
            assert older.socket.close_code == 4000
            reply = await answered(side, newer, welcome, {"data": {"action": "call"}})
            assert output_of(reply) == {"action": "call"}


async def test_a_bot_that_does_not_answer_costs_no_more_than_the_clock() -> None:
    """Plus a grace; without a clock the gateway's own limit holds. A late answer is dropped."""
    limits = BotLimits(longest_call=0.2)
    async with bots_side(limits) as side, side.connected() as line:
        welcome = await line.hello()
        assert reason_of(await side.call(welcome, "act", ACT)) == "BOT_SILENT"
        late = await line.next()
        await line.send({"id": late["id"], "data": {"action": "fold"}})
        calling = asyncio.create_task(side.call(welcome, "act", ACT))
        frame = await line.next()
        assert frame["id"] != late["id"]
        await line.send({"id": frame["id"], "data": {"action": "call"}})
        assert output_of(await calling) == {"action": "call"}


async def test_calls_wait_only_so_many_at_a_time() -> None:
    """A further one is refused at once; answers may come in any order."""
    async with bots_side(BotLimits(pending=2)) as side, side.connected() as line:
        welcome = await line.hello()
        waiting = [asyncio.create_task(side.call(welcome, "act", ACT)) for _ in range(2)]
        frames = [await line.next() for _ in waiting]
        assert reason_of(await side.call(welcome, "act", ACT)) == "BOT_BUSY"
        for frame in reversed(frames):  # in any order
            await line.send({"id": frame["id"], "data": {"action": "call"}})
        for calling in waiting:
            assert output_of(await calling) == {"action": "call"}


async def test_a_repeated_question_is_asked_once() -> None:
    """The table repeats it when the answer was lost on the way; the time left may differ."""
    async with bots_side() as side, side.connected() as line:
        welcome = await line.hello()
        question = {**ACT, "requestId": "t1/1:1:1"}
        calling = asyncio.create_task(side.call(welcome, "act", question))
        frame = await line.next()
        await line.send({"id": frame["id"], "data": {"action": "call"}})
        first = await calling
        again = await side.call(welcome, "act", {**question, "deadlineMs": 9_000})
        assert output_of(first) == output_of(again) == {"action": "call"}


async def test_of_too_many_that_are_gone_the_first_is_forgotten() -> None:
    """So tokens without end cost no memory."""
    async with bots_side(BotLimits(kept_bots=1)) as side:
        welcomes = []
        for _ in range(2):
            async with side.connected() as line:
                welcomes.append(await line.hello())
            await side.until_gone()
            await advance(1)
        side.index.forget_old()
        assert [(await side.card(welcome)).status_code for welcome in welcomes] == [404, 503]


async def test_a_bot_that_was_gone_for_long_is_forgotten() -> None:
    async with bots_side(BotLimits(kept=60)) as side:
        async with side.connected() as line:
            welcome = await line.hello()
        await side.until_gone()
        await advance(61)
        side.index.forget_old()
        assert (await side.card(welcome)).status_code == 404
        async with side.connected() as line:
            assert await line.hello(token=welcome["token"]) == welcome
