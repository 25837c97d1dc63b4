"""Marked answers are spoiled on their way, everything else passes."""

from typing import Any

import pytest
from casino_player_example.sabotage import GARBAGE, MARK, Sabotage
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send


async def sent(answer: Any, *, disconnects: bool) -> list[Message]:
    messages: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await JSONResponse(answer)(scope, receive, send)

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        messages.append(message)

    await Sabotage(app, disconnects=disconnects)({"type": "http"}, receive, send)
    return messages


def length_in(start: Message) -> int:
    """Return the length that the head of a response announces."""
    return int(dict(start["headers"])[b"content-length"])


@pytest.mark.parametrize("disconnects", [False, True])
async def test_an_answer_without_the_mark_passes(disconnects: bool) -> None:  # noqa: FBT001  a case
    """Such as the reply to signup."""
    start, body = await sent({"displayName": "Garbage"}, disconnects=disconnects)
    assert body["body"] == b'{"displayName":"Garbage"}'
    assert length_in(start) == len(body["body"])


async def test_a_marked_answer_becomes_garbage() -> None:
    """Of the announced length."""
    start, body = await sent({"action": "call", "reasoning": MARK}, disconnects=False)
    assert (length_in(start), body["body"]) == (len(GARBAGE), GARBAGE)


async def test_a_marked_answer_breaks_off() -> None:
    """Less comes than the head announces, so the server closes the connection."""
    start, body = await sent({"action": "call", "reasoning": MARK}, disconnects=True)
    assert 0 < len(body["body"]) < length_in(start)
