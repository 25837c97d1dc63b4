"""A game written from the game-interface page alone is played at a table of real processes.

Its author knew the page and nothing of ours; `page_game/` has the package as they wrote it.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.casino.casino import ProcessCasino, process_casino
from support.casino.members import ENVIRONMENT
from support.players.model_server import ModelServer, sensible, serving
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

PAGE = Path(__file__).parent / "page_game"
PAGE_GAMES: dict[str, Any] = {
    "PYTHONPATH": f"{ENVIRONMENT['PYTHONPATH']}{os.pathsep}{PAGE}",
    # The page's example of a configuration is deprecated in pydantic 2, which only warns.
    "PYTHONWARNINGS": "default",
}
HANDS = 3
RULES = {
    "startingStack": 400,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": HANDS,
    "maxSeats": 2,
    "seed": "page",
}


async def is_offered(casino: ProcessCasino) -> bool:
    """Return whether the lobby lists the page's game."""
    games = (await casino.http.get("/api/games")).raise_for_status().json()["games"]
    return "pig" in [game["gameType"] for game in games]


@asynccontextmanager
async def page_room(model: ModelServer) -> AsyncIterator[ProcessCasino]:
    """Open a room of the page's game with a generic player and one that asks a model."""
    async with (
        process_casino(CASINO_LOBBY_LAUNCH_TABLES="false") as casino,
        serving(model) as model_url,
    ):
        await casino.host_tables(
            1,
            **PAGE_GAMES,
            CASINO_TABLE_GAMES="page_registration",
            CASINO_TABLE_LOBBY_URL=casino.lobby.url,
        )
        await eventually(lambda: is_offered(casino))
        generic = await casino.sample("generic", CASINO_PLAYER_THINK="20ms")
        llm = await casino.sample(
            "llm",
            CASINO_PLAYER_LLM_BASE_URL=model_url,
            CASINO_PLAYER_LLM_MODEL="stand-in",
            CASINO_PLAYER_LLM_API_KEY="none",
            CASINO_PLAYER_GAMES="page_registration",
            **PAGE_GAMES,
        )
        body = {"roomId": "pigs", "gameType": "pig", "gameConfig": {"target": 12}, "config": RULES}
        await casino.open_room(body)
        for player in (generic, llm):
            seated = await casino.seat(player.cards[0], "pigs")
            assert seated.is_success, seated.text
        yield casino
        await casino.close("pigs")


async def test_it_is_played_by_the_generic_player_and_by_a_model() -> None:
    """Every decision is the player's own; points are ranked, and no chip moves."""
    model = ModelServer(sensible)
    async with page_room(model) as casino:
        room = await casino.until("idle", "error", room_id="pigs")
        events = await casino.events("pigs")
        document = await casino.http.get("/api/games/pig/spec")
    taken = [event.payload or {} for event in events if event.event_type == "action_taken"]
    assert {one["outcome"] for one in taken} == {"ok"}
    assert len({one["playerId"] for one in taken}) == 2
    ends = [event.payload or {} for event in events if event.event_type == "hand_completed"]
    assert len(ends) == HANDS
    for end in ends:
        assert end["scores"] == {}
        assert [stack["stack"] for stack in end["stacks"]] == [400, 400]
        first, second = end["points"]
        assert (first["place"], second["place"]) == (1, 2)
        assert first["points"] > second["points"]
        assert first["playerId"] == end["result"]["winner"] == end["result"]["public"]["winner"]
    assert room.summary is not None
    assert room.summary.plays_for == "points"
    assert [seat.stack for seat in room.summary.players] == [400, 400]
    assert "**This specification is made**" in document.text
    prompts = [asked.messages[1][1] for asked in model.asked[1:]]  # the first is asked at signup
    assert len(prompts) == len([one for one in taken if one["playerId"] == "player-2"])
    assert all(prompt.startswith("You are playing Pig, a dice game.") for prompt in prompts)
