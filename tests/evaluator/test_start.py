"""The evaluator without a lobby, its limit of requests, and levels that cannot be read."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino_evaluator.app import build_app
from casino_evaluator.errors import InvalidLevels
from casino_evaluator.settings import EvaluatorSettings
from support.casino.loop_casino import SeatsClock
from support.evaluator.arc_client import KEY, OTHER_KEY, ArcClient


def away(request: httpx.Request) -> httpx.Response:
    """Fail as where nothing listens."""
    raise httpx.ConnectError("refused", request=request)


@asynccontextmanager
async def evaluator(folder: Path, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Run an evaluator whose lobby is away."""
    values = {"data": folder, "api_keys": f"{KEY},{OTHER_KEY}", **settings}
    service = build_app(
        EvaluatorSettings.model_validate(values),
        "http://evaluator",
        clock=SeatsClock(),
        lobby=httpx.MockTransport(away),
    )
    transport = httpx.ASGITransport(service.asgi())
    async with (
        service.running(),
        httpx.AsyncClient(transport=transport, base_url="http://evaluator") as http,
    ):
        yield http


async def test_without_a_lobby_it_starts_and_says_what_is_missing(tmp_path: Path) -> None:
    """Games and scorecards are there; a session is refused, and not counted."""
    async with evaluator(tmp_path) as http:
        assert (await http.get("/readyz")).status_code == 200
        client = ArcClient(http, KEY)
        card = await client.open()
        assert {"kuhn", "ledu", "hold", "simp", "blkj"} == set(await client.games())
        reply = await client.post("cmd/RESET", game_id="kuhn", card_id=card)
        assert (reply.status_code, reply.json()["error"]) == (503, "SERVER_ERROR")
        assert "lobby" in reply.json()["message"]
        assert (await client.card(card))["environments"] == []


async def test_a_base_url_may_end_with_a_slash(tmp_path: Path) -> None:
    """Clients of ARC then ask for `//api/games`."""
    async with evaluator(tmp_path) as http:
        replies = [
            await http.get(f"http://evaluator{path}", headers={"X-API-Key": KEY})
            for path in ("/api/games", "//api/games", "//api//games")
        ]
        assert [reply.status_code for reply in replies] == [200] * 3
        assert replies[0].json() == replies[1].json() == replies[2].json()
        assert (await http.get("http://evaluator//api/games")).status_code == 401


async def test_ev_31_a_key_has_so_many_requests(tmp_path: Path) -> None:
    async with evaluator(tmp_path, requests_per_minute=20) as http:
        client, other = ArcClient(http, KEY), ArcClient(http, OTHER_KEY)
        replies = [await other.get("games") for _ in range(30)]
        assert [reply.status_code for reply in replies[:20]] == [200] * 20
        assert (replies[-1].status_code, replies[-1].json()) == (
            429,
            {"error": "RATE_LIMIT_EXCEEDED", "message": "rate limit has been exceeded"},
        )
        assert (await client.get("games")).status_code == 200


def test_levels_that_cannot_be_read_end_it_with_a_message(tmp_path: Path) -> None:
    missing = {"data": tmp_path, "levels": tmp_path / "levels.toml"}
    with pytest.raises(InvalidLevels, match=r"levels\.toml cannot be read"):
        build_app(EvaluatorSettings.model_validate(missing), "http://evaluator")
