"""What the command says when a lobby refuses, or is not there."""

from typing import Any

import httpx
import pytest
from support.console_side import casino


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (
            {
                "title": "The idempotency key belongs to another command",
                "detail": "The requestId a was used for another room; choose a new one.",
                "errors": [{"pointer": "#/requestId", "detail": "a new one"}],
            },
            "The requestId a was used for another room; choose a new one.",
        ),
        (
            {
                "title": "The configuration is not playable",
                "detail": "The player asks for 4000 chips.",
                "errors": [{"pointer": "#/buyIn", "detail": "40 to 400"}],
            },
            "The player asks for 4000 chips. (buyIn: 40 to 400)",
        ),
        ({"title": "There is nothing here"}, "There is nothing here"),
    ],
)
async def test_a_refusal_is_said_once(problem: dict[str, Any], line: str) -> None:
    """The title repeats what the sentence says; a field that it leaves out follows it."""
    reply = httpx.Response(409, json=problem)
    to = httpx.MockTransport(lambda _: reply)
    ended = await casino("room", "show", "green", to=to)
    assert ended.stderr == f"casino room show: {line}\n"


async def test_a_lobby_that_is_not_there_says_what_to_do() -> None:
    """The words of httpx do not."""

    def nobody(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("All connection attempts failed")

    ended = await casino("rooms", to=httpx.MockTransport(nobody))
    assert ended.exit_code == 1
    assert "does not answer: nobody listens there; `casino up` starts a casino" in ended.stderr
