"""Errors of servers at the URL of a command, lobbies or not."""

import json
from typing import Any

import httpx
import pytest
from support.console_side import casino


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (httpx.ConnectError("refused"), "the lobby at http://lobby does not answer: refused"),
        (httpx.ReadTimeout(""), "does not answer: ReadTimeout"),
        (httpx.Response(502, text="<html>"), "HTTP status 502 Bad Gateway"),
        (httpx.Response(404, json=["x"]), "HTTP status 404 Not Found"),
        (httpx.Response(200, html="<h1>Hi</h1>"), "answers, but not as a lobby does"),
    ],
)
async def test_a_fault_is_reported(reply: httpx.Response | Exception, message: str) -> None:
    """The message has no stack trace."""

    def answer(_request: httpx.Request) -> httpx.Response:
        if isinstance(reply, Exception):
            raise reply
        return reply

    ended = await casino("rooms", to=httpx.MockTransport(answer))
    assert ended.exit_code == 1
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


async def test_every_faulty_field_is_named() -> None:
    """Fields are named as in the lobby's problem; a field of the detail is not repeated.

    Escape sequences of the lobby's text do not reach the terminal.
    """
    problem = {
        "title": "The request has faulty fields",
        "detail": "config.bigBlind: too small.",
        "errors": [
            {"pointer": "#/config/bigBlind", "detail": "too small"},
            {"pointer": "#/roomId", "detail": "too\x1b[31m long"},
        ],
    }
    lobby = httpx.MockTransport(lambda _: httpx.Response(422, json=problem))
    ended = await casino("room", "create", to=lobby)
    assert ended.exit_code == 1
    assert ended.stderr == (
        "casino room create: config.bigBlind: too small. (roomId: too [31m long)\n"
    )


async def test_pages_are_read_to_the_last() -> None:
    """The list of rooms has several pages."""
    asked: list[dict[str, str]] = []
    summary = {
        "tableId": "t", "gameType": "g", "tableAgentCardUrl": "http://t",
        "status": "idle", "handCount": 0, "playerCount": 0,
    }  # fmt: skip

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(dict(request.url.params))
        number = len(asked)
        page: dict[str, Any] = {"rooms": [{**summary, "roomId": f"r{number}"}]}
        if number < 3:
            page["next"] = f"r{number}"
        return httpx.Response(200, json=page)

    ended = await casino("rooms", "--status", "idle", "--json", to=httpx.MockTransport(answer))
    assert [one["roomId"] for one in json.loads(ended.stdout)["rooms"]] == ["r1", "r2", "r3"]
    assert asked == [
        {"status": "idle", "limit": "100"},
        {"status": "idle", "after": "r1", "limit": "100"},
        {"status": "idle", "after": "r2", "limit": "100"},
    ]


async def test_the_lobbys_url_is_an_option_or_a_variable() -> None:
    """The option overrides the variable."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.url.host}:{request.url.port}")
        return httpx.Response(200, json={"rooms": []})

    lobby = httpx.MockTransport(answer)
    await casino("rooms", to=lobby, url="http://casino.example:81")
    await casino("rooms", "--lobby", "http://other:82", to=lobby, url="http://casino:81")
    await casino("rooms", to=lobby, url=None)
    assert asked == ["casino.example:81", "other:82", "127.0.0.1:4000"]
