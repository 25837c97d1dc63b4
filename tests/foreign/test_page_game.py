"""A game written from the game-interface page alone is played at a table of real processes.

Its author knew the page and nothing of ours; `page_game/` has the package as they wrote it.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import Child
from casino_contracts import RoomSnapshot, TableEvent
from starlette.responses import Response
from support.casino.live import ENVIRONMENT, GRACE, ProcessCasino, live_casino
from support.players.chat_server import ChatServer, sensible, serving
from support.processes import eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

PAGE = Path(__file__).parent / "page_game"
PAGE_GAMES = {
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


class PageTable:
    """The process of one table that plays the page's game, from one journal."""

    def __init__(self, lobby_url: str, data: Path) -> None:
        self._environment = {
            **ENVIRONMENT,
            **PAGE_GAMES,
            "CASINO_TABLE_GAMES": "page_registration",
            "CASINO_TABLE_LOBBY_URL": lobby_url,
            "CASINO_TABLE_DATA": str(data),
        }
        self._port = "0"

    async def start(self) -> Child:
        """Start it, again on the same port."""
        arguments = ["--port", self._port]
        self.child = await Child.start(
            "table", "casino_table", arguments, environment=self._environment
        )
        self._port = self.child.url.rpartition(":")[2]
        return self.child

    async def kill(self) -> None:
        """Kill it without notice."""
        os.kill(self.child.pid, signal.SIGKILL)
        await self.child.wait()

    async def stop(self) -> None:
        """End it."""
        await self.child.stop(GRACE)


class PageRoom:
    """A room of the page's game, its table, and the model that one of its players asks."""

    def __init__(self, casino: ProcessCasino, table: PageTable, model: ChatServer) -> None:
        self.casino, self.table, self.model = casino, table, model


@asynccontextmanager
async def page_room(data: Path, model: ChatServer) -> AsyncIterator[PageRoom]:
    """Open a room of the page's game with a generic player and one that asks a model."""
    async with AsyncExitStack() as stack:
        casino = await stack.enter_async_context(live_casino(CASINO_LOBBY_LAUNCH_TABLES="false"))
        model_url = await stack.enter_async_context(serving(model))
        table = PageTable(casino.lobby.url, data)
        await table.start()
        stack.push_async_callback(table.stop)
        await eventually(lambda: is_offered(casino), seconds=60)
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
        opened = await casino.http.post("/v1/rooms", json=body)
        assert opened.is_success, opened.text
        for player in (generic, llm):
            seated = await casino.seat(player.cards[0], "pigs")
            assert seated.is_success, seated.text
        yield PageRoom(casino, table, model)
        await casino.close("pigs")


async def is_offered(casino: ProcessCasino) -> bool:
    """Return whether the lobby lists the page's game."""
    games = (await casino.http.get("/api/games")).raise_for_status().json()["games"]
    return "pig" in [game["gameType"] for game in games]


async def finished(casino: ProcessCasino) -> RoomSnapshot:
    """Wait for the end of the session."""

    async def is_finished() -> bool:
        summary = (await casino.room("pigs")).summary
        assert summary is not None
        assert summary.status != "error", summary.message
        return summary.status == "idle" and summary.hand_count == HANDS

    await eventually(is_finished, seconds=120)
    return await casino.room("pigs")


def timeless(event: TableEvent) -> dict[str, Any]:
    """Return an event without its times."""
    return {
        **event.model_dump(mode="json", exclude={"timestamp", "payload"}),
        "payload": {
            key: value
            for key, value in (event.payload or {}).items()
            if key not in {"latencyMs", "agentCardUrl"}
        },
    }


async def test_it_is_played_by_the_generic_player_and_by_a_model(tmp_path: Path) -> None:
    """Every decision is the player's own; points are ranked, and no chip moves."""
    async with page_room(tmp_path, ChatServer(sensible)) as played:
        casino = played.casino
        room = await finished(casino)
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
    prompts = [asked["messages"][1]["content"] for asked in played.model.asked]
    assert len(prompts) == len([one for one in taken if one["playerId"] == "player-2"])
    assert all(prompt.startswith("You are playing Pig, a dice game.") for prompt in prompts)


def is_of_model(event: dict[str, Any]) -> bool:
    """Return whether an event is a decision of the player that asks the model."""
    is_decision: bool = event["eventType"] == "action_taken"
    return is_decision and event["payload"]["playerId"] == "player-2"


def in_second_hand(events: list[dict[str, Any]]) -> int:
    """Return the index of a decision of the model in the second hand, after another decision."""
    kinds = [event["eventType"] for event in events]
    first_end = kinds.index("hand_completed")
    return next(
        index
        for index in range(first_end, len(events))
        if is_of_model(events[index]) and kinds[index - 2 : index] == ["action_taken"] * 2
    )


async def test_killed_in_the_middle_of_a_hand_it_goes_on_to_the_same_end(tmp_path: Path) -> None:
    """The hand is replayed from the seed and its decisions: the game has no `serialize`."""
    async with page_room(tmp_path / "whole", ChatServer(sensible)) as uncut:
        await finished(uncut.casino)
        whole = [timeless(event) for event in await uncut.casino.events("pigs")]
    middle = in_second_hand(whole)
    questions = sum(is_of_model(event) for event in whole[:middle])
    is_asked, goes_on = asyncio.Event(), asyncio.Event()

    async def hold(asked: dict[str, Any]) -> Response:
        is_asked.set()
        await goes_on.wait()
        return await sensible(asked)

    model = ChatServer(*[sensible] * questions, hold, sensible)
    async with page_room(tmp_path / "cut", model) as killed:
        casino, table = killed.casino, killed.table

        async def are_delivered() -> bool:
            return len(await casino.events("pigs")) == middle

        await asyncio.wait_for(is_asked.wait(), 60)
        await eventually(are_delivered, seconds=60)
        await table.kill()
        before = await casino.events("pigs")
        assert before[-1].event_type == "action_taken"
        goes_on.set()
        await table.start()
        await finished(casino)
        cut = [timeless(event) for event in await casino.events("pigs")]
    assert len(before) == middle < len(cut)
    assert cut == whole
