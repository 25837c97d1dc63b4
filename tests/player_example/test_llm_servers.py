"""Model servers that fail, stall or flood an LLM player."""

import socket

import httpx
import pytest
from casino_player_example.chat import Chat
from casino_player_example.rulebook import Rulebook
from casino_player_example.styles.llm import LlmPlayer
from pydantic import SecretStr
from support.players.chat_server import (
    Reply,
    chunk,
    plain,
    raw,
    stalling,
    status,
    streamed,
)
from support.players.llm_harness import KEY, MINUTE, PROSE, llm_harness
from support.table.any_game import BET, PASS, question


async def test_an_endless_reply_is_refused() -> None:
    """Before it fills the memory."""
    flood = [b"x" * 500_000] * 20
    async with llm_harness(raw(*flood, media_type="application/json")) as harness:
        answer = await harness.act()
        assert answer.action == PASS
        assert "more than" in (answer.reasoning or "")


@pytest.mark.parametrize(
    ("reply", "wait"),
    [
        (status(429, retry_after="2"), 2.0),
        (status(429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), 0.5),
        (status(500), 0.5),
        (status(503, retry_after="nan"), 0.5),
        (raw(chunk(content="I b"), breaks=True), 0.5),
        (streamed("I bet", done=False), 0.5),
        (plain(""), 0.5),
        (raw(b'data: {"error": {"message": "overloaded"}}\n\n'), 0.5),
    ],
)
async def test_a_temporary_failure_is_retried_once(reply: Reply, wait: float) -> None:
    """After the time that the server asks for; half an answer is a failure."""
    async with llm_harness(reply, streamed(PROSE)) as harness:
        assert (await harness.act()).action == BET
        assert harness.waits == [wait]


@pytest.mark.parametrize(
    ("reply", "reported", "asked"),
    [
        (status(500), "HTTP 500", 2),
        (status(401, {"error": {"message": f"wrong key {KEY}"}}), "HTTP 401", 1),
        (status(404), "HTTP 404", 1),
        (status(429, retry_after="3600"), "HTTP 429", 1),
        (plain("x", tokens=None, content=None), "is empty", 2),
        (raw(b"<html>", media_type="text/html"), "not send valid JSON", 1),
        (raw(b"[" * 100_000, media_type="application/json"), "not send valid JSON", 1),
        (raw(b"[]", media_type="application/json"), "no chat completion", 1),
        (raw(b"{}", media_type="application/json"), "is empty", 2),
        (raw(b'{"choices": [{"message": "hi"}]}', media_type="application/json"), "is empty", 2),
        (raw(b"data: nonsense\n\n"), "not send valid JSON", 1),
        (raw(b"data: [DONE]\n\n"), "is empty", 2),
        (raw(chunk(content="I b"), breaks=True), "RemoteProtocolError", 2),
    ],
)
async def test_a_failing_server_becomes_the_default_action(
    reply: Reply, reported: str, asked: int
) -> None:
    """The reasoning has the cause, without the key."""
    async with llm_harness(reply) as harness:
        answer = await harness.act()
        assert answer.action == PASS
        assert reported in (answer.reasoning or "")
        assert len(harness.server.asked) == asked


@pytest.mark.parametrize("reply", [stalling(), stalling(chunk(content="Let me think"))])
async def test_a_stalling_server_is_left_before_the_clock_ends(reply: Reply) -> None:
    """With the default action."""
    async with llm_harness(reply) as harness:
        answer = await harness.act(deadlineMs=500)
        assert answer.action == PASS
        assert "too long" in (answer.reasoning or "")


async def test_an_unreachable_server_becomes_the_default_action() -> None:
    """The reasoning has the kind of error only."""
    async with llm_harness(plain(PROSE)) as harness:
        pass
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))  # and does not listen
        async with httpx.AsyncClient() as http:
            chat = Chat(
                http,
                base_url=f"http://127.0.0.1:{deaf.getsockname()[1]}/v1",
                model="m",
                api_key=SecretStr(KEY),
                max_tokens=10,
                budget=harness.budget,
            )
            player = LlmPlayer(Rulebook(None), chat, timeout=MINUTE)
            answer = await player.act(question())
    assert answer.action == PASS
    assert "ConnectError" in (answer.reasoning or "")
