"""Every game between processes of native, generic and LLM players."""

import asyncio
import os
from pathlib import Path

import pytest
from casino_games import game_class, game_types
from support.casino.casino import ProcessCasino, process_casino
from support.casino.members import ENVIRONMENT
from support.players.chat_server import ChatServer, sensible, serving
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

NEW_GAME = "sealed_bid"


async def everybody_played(casino: ProcessCasino, room_id: str) -> None:
    """Check that every decision is the player's own, and that chips are conserved."""
    outcomes = await casino.outcomes(room_id)
    assert outcomes
    assert all(set(each) <= {"ok", "retried"} for each in outcomes.values()), outcomes
    audit = await casino.audit(room_id)
    assert audit.bought
    assert not audit.unread


async def test_every_game_is_played_by_every_kind_of_player() -> None:
    """The lobby launches the tables."""
    async with process_casino() as casino, serving(ChatServer(sensible)) as base_url:
        native = (await casino.start("native", "support.players.any_player")).cards[0]
        generic = (await casino.sample("generic")).cards[0]
        model = await casino.sample(
            "llm",
            CASINO_PLAYER_LLM_BASE_URL=base_url,
            CASINO_PLAYER_LLM_MODEL="stand-in",
            CASINO_PLAYER_LLM_API_KEY="none",
        )
        llm = model.cards[0]
        assert set(await games(casino)) >= set(game_types())
        for game_type in game_types():
            kinds = [[native, generic, llm]]
            if game_class(game_type).max_players == 2:
                kinds = [[native, generic], [generic, llm]]
            for number, cards in enumerate(kinds):
                room_id = f"{game_type}-{number}"
                await casino.play(room_id, game_type, cards, maxHands=6)
                await everybody_played(casino, room_id)
                await casino.http.delete(f"/v1/rooms/{room_id}")


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
        await eventually(lambda: _is_offered(casino), seconds=60)
        await casino.play("new", NEW_GAME, cards)
        await everybody_played(casino, "new")
        spec = await casino.http.get(f"/api/games/{NEW_GAME}/spec")
        assert spec.headers["content-type"].startswith("text/markdown")
        tag = {"If-None-Match": spec.headers["etag"]}
        unchanged = await casino.http.get(f"/api/games/{NEW_GAME}/spec", headers=tag)
        assert unchanged.status_code == 304
        missing = await casino.http.get("/api/games/tiddlywinks/spec")
        assert (missing.status_code, missing.json()["type"]) == (404, "/problems/game-not-found")
        await casino.close("new")


async def games(casino: ProcessCasino) -> dict[str, str]:
    """Return what the lobby offers: game type and version of its specification."""
    reply = (await casino.http.get("/api/games")).raise_for_status().json()
    return {game["gameType"]: game["specVersion"] for game in reply["games"]}


async def _is_offered(casino: ProcessCasino) -> bool:
    return NEW_GAME in await games(casino)
