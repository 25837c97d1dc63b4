"""Which server a command asks, and errors of servers, lobbies or not."""

import json
from typing import Any

import httpx
import pytest
from casino.__main__ import app
from support.console_side import casino
from typer.testing import CliRunner

FIRST = "http://first:82"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            httpx.ConnectError("All connection attempts failed"),
            "does not answer: nobody listens there; `casino up` starts a casino",
        ),
        (httpx.ReadTimeout(""), "the lobby at http://lobby does not answer: ReadTimeout"),
        (httpx.Response(502, text="<html>"), "HTTP status 502 Bad Gateway"),
        (httpx.Response(404, json=["x"]), "HTTP status 404 Not Found"),
        (httpx.Response(200, html="<h1>Hi</h1>"), "answers, but not as a lobby does"),
    ],
)
async def test_a_fault_is_reported(reply: httpx.Response | Exception, message: str) -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        if isinstance(reply, Exception):
            raise reply
        return reply

    ended = await casino("rooms", to=httpx.MockTransport(answer))
    assert ended.exit_code == 1
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        ({"title": "There is nothing here"}, "There is nothing here"),
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
                "title": "The request has faulty fields",
                "detail": "config.bigBlind: too small.",
                "errors": [
                    {"pointer": "#/config/bigBlind", "detail": "too small"},
                    {"pointer": "#/roomId", "detail": "too\x1b[31m long"},
                ],
            },
            "config.bigBlind: too small. (roomId: too [31m long)",
        ),
    ],
)
async def test_a_refusal_is_said_once(problem: dict[str, Any], line: str) -> None:
    """A field that the sentence leaves out follows it; no escape sequence reaches the terminal."""
    reply = httpx.Response(409, json=problem)
    ended = await casino("room", "show", "green", to=httpx.MockTransport(lambda _: reply))
    assert (ended.exit_code, ended.stderr) == (1, f"casino room show: {line}\n")


async def test_pages_are_read_to_the_last() -> None:
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


@pytest.mark.parametrize(
    ("arguments", "variable", "asked"),
    [
        (["rooms"], None, "127.0.0.1:4000"),
        (["rooms"], "http://lobby:81", "lobby:81"),
        (["--lobby", FIRST, "rooms"], "http://lobby:81", "first:82"),
        (["--lobby", FIRST, "room", "list"], "http://lobby:81", "first:82"),
        (["--lobby", FIRST, "rooms", "--lobby", "http://second:83"], None, "second:83"),
    ],
)
async def test_the_nearest_option_names_the_lobby(
    arguments: list[str], variable: str | None, asked: str
) -> None:
    """Before the environment's variable, and that before this machine's port 4000."""
    urls: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        urls.append(request.url)
        return httpx.Response(200, json={"rooms": []})

    ended = await casino(*arguments, to=httpx.MockTransport(answer), url=variable)
    assert (ended.exit_code, ended.stdout) == (0, "no rooms\n")
    assert [f"{url.host}:{url.port}" for url in urls] == [asked]


@pytest.mark.parametrize("command", ["key", "up"])
def test_a_command_without_a_lobby_takes_none(command: str) -> None:
    result = CliRunner().invoke(app, ["--lobby", FIRST, command], prog_name="casino")
    assert result.exit_code == 2
    assert f"casino {command} asks no lobby" in result.stderr
