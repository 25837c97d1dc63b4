"""A game of a third party that is installed beside a table."""

import asyncio
import os
from pathlib import Path

import pytest
from support.casino.casino import ProcessCasino, process_casino
from support.casino.members import ENVIRONMENT
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

NEW_GAME = "sealed_bid"


async def test_a_game_installed_beside_a_table_is_played(tmp_path: Path) -> None:
    """Lobby and players are not restarted for it."""
    offered = tmp_path / "third_party-1.0.dist-info"
    offered.mkdir()
    (offered / "METADATA").write_text("Metadata-Version: 2.1\nName: third_party\nVersion: 1.0\n")
    (offered / "entry_points.txt").write_text(
        f"[casino.games]\n{NEW_GAME} = games.described_game\n"
    )
    async with process_casino(CASINO_LOBBY_LAUNCH_TABLES="false") as casino:
        names = ("Generic 1", "Generic 2")
        players = await asyncio.gather(*(casino.sample("generic", name=name) for name in names))
        cards = [player.cards[0] for player in players]
        assert NEW_GAME not in await games(casino)
        await casino.start(
            "table",
            "casino_table",
            "--port",
            "0",
            PYTHONPATH=f"{ENVIRONMENT['PYTHONPATH']}{os.pathsep}{tmp_path}",
            CASINO_TABLE_LOBBY_URL=casino.lobby.url,
        )

        async def is_offered() -> bool:
            return NEW_GAME in await games(casino)

        await eventually(is_offered)
        await casino.play("new", NEW_GAME, cards)
        outcomes = await casino.outcomes("new")
        assert outcomes
        assert all(set(each) <= {"ok", "retried"} for each in outcomes.values()), outcomes
        assert (await casino.audit("new")).bought
        spec = await casino.http.get(f"/api/games/{NEW_GAME}/spec")
        assert spec.headers["content-type"].startswith("text/markdown")
        tag = {"If-None-Match": spec.headers["etag"]}
        unchanged = await casino.http.get(f"/api/games/{NEW_GAME}/spec", headers=tag)
        assert unchanged.status_code == 304
        missing = await casino.http.get("/api/games/tiddlywinks/spec")
        assert (missing.status_code, missing.json()["type"]) == (404, "/problems/game-not-found")
        await casino.close("new")


async def games(casino: ProcessCasino) -> set[str]:
    """Return the game types that the lobby offers."""
    reply = (await casino.http.get("/api/games")).raise_for_status().json()
    return {game["gameType"] for game in reply["games"]}
