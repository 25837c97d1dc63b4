"""A casino's floor as real processes: a lobby, tables and players of every kind."""

import asyncio
import os
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from casino_agentkit import Child
from casino_contracts import EventPage, RoomSnapshot, TableEvent

TESTS = Path(__file__).parents[2]
_GRACE = timedelta(seconds=10)
_PATIENCE_S = 90.0


class Floor:
    """Starts processes, and speaks REST with the lobby."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self.logs: list[str] = []
        self.trust: ssl.SSLContext | bool = True
        self.lobby: Child
        self.http: httpx.AsyncClient

    async def open(self, **settings: str) -> None:
        """Start the lobby."""
        environment = {"CASINO_LOBBY_DATABASE": "memory", **settings}
        self.lobby = await self.start("casino_lobby", environment)
        self.http = await self._stack.enter_async_context(
            httpx.AsyncClient(
                base_url=self.lobby.url, trust_env=False, timeout=30, verify=self.trust
            )
        )

    async def start(self, module: str, environment: dict[str, str], *arguments: str) -> Child:
        """Start a process of ours on a free port; it ends with the test."""
        child = await Child.start(
            module,
            module,
            [*arguments, "--port", "0"],
            environment={**os.environ, **environment},
            on_log=self.logs.append,
        )
        self._stack.push_async_callback(child.stop, _GRACE)
        return child

    async def player(self, style: str, name: str, **settings: str) -> str:
        """Start a sample player that knows the lobby; returns its card's address."""
        environment = {"CASINO_PLAYER_LOBBY_URL": self.lobby.url, **settings}
        child = await self.start("casino_player_example", environment, style, "--name", name)
        return child.cards[0]

    async def native(self) -> str:
        """Start a player that is written for any game without a specification."""
        child = await self.start("support.players.any_player_process", {"PYTHONPATH": str(TESTS)})
        return child.cards[0]

    async def chat_server(self) -> str:
        """Start the stand-in for a language model's server; returns its base URL."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "support.players.chat_server",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._stack.push_async_callback(process.wait)
        self._stack.callback(process.stdin.close)
        return (await process.stdout.readline()).decode().strip()

    async def games(self) -> dict[str, str]:
        """Return what the lobby offers: game type and version of its specification."""
        reply = (await self.http.get("/api/games")).raise_for_status().json()
        return {one["gameType"]: one["specVersion"] for one in reply["games"]}

    async def play(self, room_id: str, game_type: str, cards: list[str], **config: Any) -> None:
        """Open a room of a game with these players, play it to its end."""
        rules = {
            "startingStack": 400,
            "smallBlind": 1,
            "bigBlind": 2,
            "minBuyIn": 40,
            "maxBuyIn": 400,
            "maxHands": 10,
            "maxSeats": max(2, len(cards)),
            "rebuy": "auto",
            **config,
        }
        await self.post("/v1/rooms", roomId=room_id, gameType=game_type, config=rules)
        for card in cards:
            await self.post(f"/v1/rooms/{room_id}/players", agentCardUrl=card)
        room = await self.room(room_id)
        if room.summary is None or room.summary.status == "waiting":
            await self.http.post(f"/v1/rooms/{room_id}/start", json={})  # or it starts by itself
        async with asyncio.timeout(_PATIENCE_S):
            while (room := await self.room(room_id)).summary is None or (
                room.summary.status != "idle" or room.summary.hand_count < rules["maxHands"]
            ):
                await asyncio.sleep(0.05)

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Carry out a command."""
        reply = await self.http.post(path, json=body)
        assert reply.is_success, reply.text
        answer: dict[str, Any] = reply.json()
        return answer

    async def room(self, room_id: str) -> RoomSnapshot:
        """Read a room."""
        reply = await self.http.get(f"/v1/rooms/{room_id}")
        return RoomSnapshot.model_validate_json(reply.raise_for_status().content)

    async def events(self, room_id: str) -> list[TableEvent]:
        """Read all events of a room."""
        reply = await self.http.get(f"/v1/rooms/{room_id}/events", params={"limit": 5000})
        return list(EventPage.model_validate_json(reply.raise_for_status().content).events)


@asynccontextmanager
async def floor(**settings: str) -> AsyncIterator[Floor]:
    """Open a floor; everything on it ends with it."""
    async with AsyncExitStack() as stack:
        opened = Floor(stack)
        await opened.open(**settings)
        yield opened
