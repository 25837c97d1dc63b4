"""Every game through real processes, with native, generic and LLM players; chips add up."""

from pathlib import Path

import pytest
from casino_contracts import TableEvent
from casino_games import game_class, game_types
from support.casino.floor import TESTS, Floor, floor
from support.processes import eventually

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

NEW_GAME = "sealed_bid"


def adds_up(events: list[TableEvent]) -> None:
    """Check the chips: stacks are what was bought, less what the house won."""
    stacks: dict[str, float] = {}
    bought = house = 0.0
    for event in events:
        told = event.payload or {}
        if event.event_type == "player_registered":
            bought += told["stack"]
            stacks[told["playerId"]] = told["stack"]
        elif told.get("kind") == "rebought":
            bought += told["amount"]
            stacks[told["playerId"]] = told["stack"]
        elif event.event_type == "hand_completed":
            house += told.get("house", 0)
            stacks.update({one["playerId"]: one["stack"] for one in told["stacks"]})
            if "scores" in told:
                assert sum(told["scores"].values()) + told.get("house", 0) == 0
    assert bought
    assert sum(stacks.values()) == pytest.approx(bought - house)


async def everybody_played(seats: Floor, room_id: str) -> None:
    """Check that every player decided by itself, and that the chips add up."""
    events = await seats.events(room_id)
    outcomes: dict[str, set[str]] = {}
    for event in events:
        if event.event_type == "action_taken":
            told = event.payload or {}
            outcomes.setdefault(told["playerId"], set()).add(told["outcome"])
    assert outcomes
    assert all(one <= {"ok", "retried"} for one in outcomes.values()), outcomes
    adds_up(events)


async def test_every_game_is_played_by_every_kind_of_player() -> None:
    """One after the other at tables that the lobby launches."""
    async with floor() as seats:
        base_url = await seats.chat_server()
        native = await seats.native()
        generic = await seats.player("generic", "Generic")
        llm = await seats.player(
            "llm",
            "Model",
            CASINO_PLAYER_LLM_BASE_URL=base_url,
            CASINO_PLAYER_LLM_MODEL="stand-in",
            CASINO_PLAYER_LLM_API_KEY="none",
        )
        assert set(await seats.games()) >= set(game_types())
        for game_type in game_types():
            kinds = [[native, generic, llm]]
            if game_class(game_type).max_players == 2:
                kinds = [[native, generic], [generic, llm]]
            for number, cards in enumerate(kinds):
                room_id = f"{game_type}-{number}"
                await seats.play(room_id, game_type, cards, maxHands=6)
                await everybody_played(seats, room_id)
                await seats.http.delete(f"/v1/rooms/{room_id}")


async def test_a_game_that_nobody_knew_is_played(tmp_path: Path) -> None:
    """A package is dropped in and a table started: lobby and players are not touched."""
    offered = tmp_path / "stranger-1.0.dist-info"
    offered.mkdir()
    (offered / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (offered / "entry_points.txt").write_text(
        f"[casino.games]\n{NEW_GAME} = games.described_game\n"
    )
    async with floor(CASINO_LOBBY_LAUNCH_TABLES="false") as seats:
        cards = [await seats.player("generic", f"Generic {number}") for number in (1, 2)]
        assert NEW_GAME not in await seats.games()
        await seats.start(
            "casino_table",
            {"PYTHONPATH": f"{TESTS}:{tmp_path}", "CASINO_TABLE_LOBBY_URL": seats.lobby.url},
        )
        await eventually(lambda: _is_offered(seats), seconds=60)
        await seats.play("new", NEW_GAME, cards)
        await everybody_played(seats, "new")
        spec = await seats.http.get(f"/api/games/{NEW_GAME}/spec")
        assert spec.headers["content-type"].startswith("text/markdown")
        tag = {"If-None-Match": spec.headers["etag"]}
        assert (await seats.http.get(f"/api/games/{NEW_GAME}/spec", headers=tag)).status_code == 304
        missing = await seats.http.get("/api/games/tiddlywinks/spec")
        assert (missing.status_code, missing.json()["type"]) == (404, "/problems/game-not-found")


async def _is_offered(seats: Floor) -> bool:
    return NEW_GAME in await seats.games()
