"""Model servers that fail, stall or flood an LLM player."""

import asyncio
import socket

import pytest
from casino_contracts import WaitReason
from casino_player_example.any_game import open_llm_player
from casino_player_example.errors import ModelFailed
from casino_player_example.settings import PlayerSettings
from support.players.llm_harness import PROSE, LlmHarness
from support.players.model_server import KEY, Reply, cut, hangs, raw, says, status
from support.table.any_game import BET, PASS, question

HTML = raw(b"<html>busy</html>", media_type="text/html", code=503)


@pytest.mark.parametrize(
    ("reply", "wait"),
    [
        (status(429, retry_after="2"), 2.0),
        (status(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), 0.0),
        (status(408), 0.5),
        (status(409), 0.5),
        (status(425), 0.5),
        (status(500), 0.5),
        (status(503, retry_after="nan"), 0.5),
        (HTML, 0.5),
        (cut(PROSE), 0.5),
        (says(""), 0.5),
        (raw(b'data: {"error": {"message": "busy"}}\n\n', media_type="text/event-stream"), 0.5),
    ],
)
async def test_a_temporary_failure_is_asked_again(reply: Reply, wait: float) -> None:
    """After the time that the server asks for; half an answer is a failure."""
    async with LlmHarness(reply, says(PROSE)) as harness:
        answer = await harness.act()
        assert answer.action == BET
        assert answer.defaulted is None
        assert harness.waits == [wait]
        assert answer.usage is not None
        assert answer.usage.attempts == 2


async def test_as_many_attempts_are_made_as_are_set() -> None:
    """Each pause is twice as long as the one before."""
    async with LlmHarness(status(500), attempts=4) as harness:
        answer = await harness.act()
        assert answer.action == PASS
        assert harness.waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("reply", "reason", "reported"),
    [
        (
            status(429, "You exceeded your current quota.", "insufficient_quota"),
            "provider_away",
            "your current quota",
        ),
        (raw(b"[" * 100_000), "model_failed", "cannot be read"),
        (raw(b"[]"), "model_failed", "cannot be read"),
        (raw(b"", code=302), "model_failed", "302"),
    ],
)
async def test_a_lasting_failure_is_not_asked_again(
    reply: Reply, reason: str, reported: str
) -> None:
    """A redirect would take the key elsewhere."""
    async with LlmHarness(reply, stream=False) as harness:
        answer = await harness.act()
        assert answer.defaulted is not None
        assert answer.defaulted.reason == reason
        assert reported in (answer.defaulted.detail or "")
        assert len(harness.server.asked) == 1


async def test_the_provider_s_quote_of_the_prompt_is_left_out() -> None:
    """The prompt has cards; a provider may quote all of it, as text or as JSON."""
    async with LlmHarness(says(PROSE)) as harness:
        await harness.act()
        prompt = harness.server.asked[0].messages[1][1]
        harness.server.replies = [status(400, f"invalid content: {prompt!r} has no end")]
        answer = await harness.act(requestId="t1/7:2:1")
    assert answer.defaulted is not None
    detail = answer.defaulted.detail or ""
    assert detail.startswith("HTTP 400: invalid content: ")
    assert detail.endswith(" has no end")
    assert "card" not in detail


@pytest.mark.parametrize("end", [says(PROSE), status(400, "no such parameter")])
async def test_a_provider_that_is_away_is_waited_for(end: Reply) -> None:
    """Until it answers, also by refusing one question; the wait has its words."""
    async with LlmHarness(status(401, f"not taken: {KEY}"), attempts=1) as harness:
        for number in (1, 2):
            await harness.act(requestId=f"t1/7:{number}:1")
            (wait,) = harness.told.of("stand-in")
            assert wait.reason is WaitReason.PROVIDER_AWAY
            assert wait.detail == "HTTP 401: not taken: [key]"
        harness.server.replies = [end]
        await harness.act(requestId="t1/7:3:1")
        assert harness.told.of("stand-in") == []


async def test_no_more_calls_are_made_at_once_than_are_set() -> None:
    """The others wait within their own clocks."""
    async with LlmHarness(hangs, concurrency=1) as harness:
        answers = await asyncio.gather(
            harness.act(), harness.act(playerId="p2", requestId="t1/8:1:1")
        )
        assert len(harness.server.asked) == 1
    assert [answer.defaulted and answer.defaulted.reason for answer in answers] == ["timeout"] * 2
    assert [answer.usage is None for answer in answers] == [False, True]


async def test_an_unreachable_server_is_said() -> None:
    """With its address, before a seat is taken, and with every decision."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://me:hush-hush@127.0.0.1:{deaf.getsockname()[1]}/v1"
        settings = PlayerSettings.load(
            {}, style="llm", llm_model="m", llm_base_url=url, llm_api_key=KEY, llm_attempts=1
        )
        player = open_llm_player(settings)
        with pytest.raises(ModelFailed, match=r"check that a server runs at http://me:\[key\]@127"):
            await player.probe()
        answer = await player.act(question())
        await player.close()
    assert answer.defaulted is not None
    assert "the connection failed" in (answer.defaulted.detail or "")
