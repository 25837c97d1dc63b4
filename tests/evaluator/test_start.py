"""The evaluator at its start: without a lobby, and with levels that cannot be read."""

from pathlib import Path

import httpx
import pytest
from casino_evaluator.app import build_app
from casino_evaluator.errors import InvalidLevels
from casino_evaluator.settings import EvaluatorSettings
from support.casino.loop_casino import SeatsClock
from support.evaluator.arc_client import KEY, ArcClient


def away(request: httpx.Request) -> httpx.Response:
    """Fail as where nothing listens."""
    raise httpx.ConnectError("refused", request=request)


async def test_without_a_lobby_it_starts_and_says_what_is_missing(tmp_path: Path) -> None:
    """Games and scorecards are there; a session is refused, and not counted."""
    settings = EvaluatorSettings.model_validate({"data": tmp_path, "api_keys": KEY})
    service = build_app(
        settings, "http://evaluator", clock=SeatsClock(), lobby=httpx.MockTransport(away)
    )
    async with (
        service.running(),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(service.asgi()), base_url="http://evaluator"
        ) as http,
    ):
        assert (await http.get("/readyz")).status_code == 200
        client = ArcClient(http, KEY)
        card = await client.open()
        assert {"kuhn", "ledu", "hold", "simp", "blkj"} == set(await client.games())
        reply = await client.post("cmd/RESET", game_id="kuhn", card_id=card)
        assert (reply.status_code, reply.json()["error"]) == (503, "SERVER_ERROR")
        assert "lobby" in reply.json()["message"]
        assert (await client.card(card))["environments"] == []


def test_levels_that_cannot_be_read_end_it_with_a_message(tmp_path: Path) -> None:
    """The message names the file."""
    missing = {"data": tmp_path, "levels": tmp_path / "levels.toml"}
    with pytest.raises(InvalidLevels, match=r"levels\.toml cannot be read"):
        build_app(EvaluatorSettings.model_validate(missing), "http://evaluator")
