"""Reading games and documents from a lobby, and every way in which a lobby can fail."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
from casino_gamespec import GameNotOffered, Lobby, LobbyUnavailable
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from support.specifications import Handler, LobbySide, specification

URL = "http://lobby/"


def lobby_of(side: LobbySide, seconds: float = 5) -> Lobby:
    return Lobby(side.client(), URL, timeout=timedelta(seconds=seconds))


async def test_the_games_are_listed() -> None:
    """An entry that cannot be read hides none of the others."""
    side = LobbySide(kuhn_poker=specification())
    assert [game.game_type for game in await lobby_of(side).games()] == ["kuhn_poker"]

    async def strange(_request: Request) -> Response:
        return JSONResponse({"games": [{"nonsense": 1}, 7, {"gameType": "a", "specVersion": "1"}]})

    side.instead = strange
    assert [game.game_type for game in await lobby_of(side).games()] == ["a"]


async def test_a_document_is_fetched_and_asked_for_by_its_tag() -> None:
    side = LobbySide(kuhn_poker=specification())
    lobby = lobby_of(side)
    fetched = await lobby.specification("kuhn_poker")
    assert fetched is not None
    assert fetched.text == specification()
    assert await lobby.specification("kuhn_poker", etag=fetched.etag) is None
    assert side.asked[-1] == ("/api/games/kuhn_poker/spec", fetched.etag)
    side.documents["kuhn_poker"] = specification(version="2.0.0")
    changed = await lobby.specification("kuhn_poker", etag=fetched.etag)
    assert changed is not None
    assert changed.text == specification(version="2.0.0")


async def test_an_unknown_game_is_refused_with_the_lobbys_detail() -> None:
    with pytest.raises(GameNotOffered, match="HTTP 404: no such game here"):
        await lobby_of(LobbySide()).specification("kuhn_poker")


@pytest.mark.parametrize("game_type", ["", "../admin", "a/b", "a b", "x" * 200, "a\n", "?x=1"])
async def test_a_game_type_with_a_path_is_not_requested(game_type: str) -> None:
    side = LobbySide()
    with pytest.raises(GameNotOffered, match="not a valid game type"):
        await lobby_of(side).specification(game_type)
    assert side.asked == []


async def endless(_request: Request) -> Response:
    async def much() -> AsyncIterator[bytes]:
        for _ in range(2000):
            yield b"x" * 1000

    return StreamingResponse(much(), media_type="text/markdown")


def always(response: Response) -> Handler:
    async def answer(_request: Request) -> Response:
        return response

    return answer


@pytest.mark.parametrize(
    ("instead", "message"),
    [
        (always(HTMLResponse("<html>Sign in</html>")), "text/html"),
        (always(PlainTextResponse("oops", 500)), "HTTP 500"),
        (always(JSONResponse({"detail": "shut\x1b[31m"}, 503)), r"HTTP 503: shut\[31m$"),
        (always(RedirectResponse("http://elsewhere/")), "HTTP 307"),
        (always(Response(b"\xff\xfe", media_type="text/markdown")), "UTF-8"),
        (always(Response(status_code=304)), "without an etag"),
        (
            always(Response(gzip.compress(b"x"), headers={"content-encoding": "gzip"})),
            "compressed",
        ),
        (endless, "larger than"),
    ],
)
async def test_a_lobby_with_another_answer_is_refused(instead: Handler, message: str) -> None:
    side = LobbySide(kuhn_poker=specification())
    side.instead = instead
    with pytest.raises(LobbyUnavailable, match=message):
        await lobby_of(side).specification("kuhn_poker")


@pytest.mark.parametrize(
    "instead",
    [
        always(HTMLResponse("<html>Sign in</html>")),
        always(JSONResponse([])),
        always(JSONResponse({"games": "many"})),
        always(PlainTextResponse("[" * 100_000)),
        always(Response(status_code=304)),
        always(Response(status_code=404)),
    ],
)
async def test_a_malformed_list_of_games_is_refused(instead: Handler) -> None:
    side = LobbySide()
    side.instead = instead
    with pytest.raises(LobbyUnavailable, match="http://lobby/api/games"):
        await lobby_of(side).games()


async def test_a_slow_lobby_is_given_up() -> None:
    side = LobbySide()

    async def for_ever(_request: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError

    side.instead = for_ever
    with pytest.raises(LobbyUnavailable, match=r"within 0\.02 s"):
        await lobby_of(side, 0.02).games()


async def test_a_missing_lobby_is_unavailable() -> None:
    """The error is a `LobbyUnavailable`."""

    def refuse(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused")

    http = httpx.AsyncClient(transport=httpx.MockTransport(refuse))
    with pytest.raises(LobbyUnavailable, match="connection refused"):
        await Lobby(http, URL, timeout=timedelta(seconds=1)).games()
