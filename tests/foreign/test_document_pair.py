"""A client of one document alone plays a game of another: Boardgame Protocol and game interface.

Nothing but the two documents is between them: the messages are literal, the game's own files are
loaded from their folder, and the nested versions are the document's.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from games.hosting.loaded_games import PAGE_GAMES, template_at
from support.casino.casino import GAME_RULES
from support.gateway.live_gateway import LiveGateway, OutsideSeat, live_gateway
from support.processes import eventually

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
]

CLIENT = Path(__file__).parent / "agents/boardgame_document/client.py"
HANDS = 3


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LiveGateway]:
    """Run a gateway beside a casino whose tables load two folders of games."""
    folder = tmp_path_factory.mktemp("written")
    template_at(folder)
    async with live_gateway(CASINO_LOBBY_LAUNCH_TABLES="false") as live:
        await live.casino.host_tables(
            2,
            CASINO_TABLE_GAMES=f"{folder}/,{PAGE_GAMES}",
            CASINO_TABLE_LOBBY_URL=live.casino.lobby.url,
            PYTHONWARNINGS="default",  # the document's example of a configuration is deprecated
        )

        async def are_offered() -> bool:
            games = (await live.casino.http.get("/api/games")).raise_for_status().json()["games"]
            return {"my_game", "pig", "word_teams"} <= {game["gameType"] for game in games}

        await eventually(are_offered)
        yield live


async def client(live: LiveGateway, seat: OutsideSeat, path: str, default: str) -> dict[str, Any]:
    """Run the client for a seat, in a process that has no module of ours; returns its count."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", str(CLIENT), f"{live.url}{path}", seat.token),
        *(seat.match_id, seat.agent_id, seat.game, default),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    counted: dict[str, Any] = json.loads(out)
    return counted


@pytest.mark.parametrize("game", ["pig", "my_game"])
async def test_literal_messages_play_a_game_of_five_files(live: LiveGateway, game: str) -> None:
    """In both dialects; the default by both of its names; each decision is at the lobby."""
    casino = live.casino
    config = {**GAME_RULES, "actionTimeoutMs": 20_000, "maxHands": HANDS, "maxSeats": 2}
    await casino.open_room({"roomId": game, "gameType": game, "config": config})
    document = (await casino.http.get(f"/api/games/{game}/spec")).text
    assert "defaultTimeoutAction: first_offered\n" in document
    seats = [await live.sit(game, name) for name in ("Literal", "Strict")]
    counts = await asyncio.gather(
        client(live, seats[0], "/bgp", "defaultTimeoutAction"),
        client(live, seats[1], "/bgp?dialect=schemas-1.0.0", "first_offered"),
    )
    events = await casino.events(game)
    taken = [event.payload or {} for event in events if event.event_type == "action_taken"]
    for seat, counted in zip(seats, counts, strict=True):
        assert counted["refused"] == []
        assert counted["own"] > counted["default"] > 0
        (version,) = counted["versions"]
        assert version.startswith("0.0.")
        of_seat = [each for each in taken if each["playerId"] == seat.agent_id]
        outcomes = Counter(each["outcome"] for each in of_seat)
        assert outcomes == {"ok": counted["own"], "defaulted": counted["default"]}
        reasons = {each["defaulted"]["reason"] for each in of_seat if "defaulted" in each}
        assert reasons == {"default_action"}
    ends = [event.payload or {} for event in events if event.event_type == "hand_completed"]
    assert len(ends) == HANDS
    assert all(len(end["points"]) == 2 and end["scores"] == {} for end in ends)
