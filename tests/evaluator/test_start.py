"""The evaluator's process at its start: without a lobby, and with levels that cannot be read."""

from pathlib import Path

import httpx
import pytest
from casino_agentkit import Child, ChildFailed
from support.casino.live import ENVIRONMENT, process
from support.evaluator.live_evaluator import KEY, ArcClient

pytestmark = [pytest.mark.full, pytest.mark.timeout(60), pytest.mark.asyncio]


async def test_without_a_lobby_it_starts_and_says_what_is_missing(tmp_path: Path) -> None:
    """Games and scorecards are there; a session is refused, and not counted."""
    settings = {
        "CASINO_EVALUATOR_LOBBY_URL": "http://127.0.0.1:9",
        "CASINO_EVALUATOR_DATA": str(tmp_path),
        "CASINO_EVALUATOR_API_KEYS": KEY,
    }
    async with (
        process("evaluator", "casino_evaluator", ["--port", "0"], settings=settings) as child,
        httpx.AsyncClient(base_url=child.url, timeout=30, trust_env=False) as http,
    ):
        assert (await http.get("/readyz")).status_code == 200
        client = ArcClient(http, KEY)
        card = await client.open()
        assert {"kuhn", "ledu", "hold", "simp", "blkj"} == set(await client.games())
        reply = await client.post("cmd/RESET", game_id="kuhn", card_id=card)
        assert (reply.status_code, reply.json()["error"]) == (503, "SERVER_ERROR")
        assert "lobby" in reply.json()["message"]
        assert (await client.card(card))["environments"] == []


async def test_levels_that_cannot_be_read_end_it_with_a_message(tmp_path: Path) -> None:
    """The message names the file."""
    missing = tmp_path / "levels.toml"
    settings = {
        "CASINO_EVALUATOR_LEVELS": str(missing),
        "CASINO_EVALUATOR_DATA": str(tmp_path),
        "CASINO_EVALUATOR_PORT": "0",
    }
    with pytest.raises(ChildFailed, match=r"levels\.toml cannot be read"):
        await Child.start("evaluator", "casino_evaluator", environment={**ENVIRONMENT, **settings})
