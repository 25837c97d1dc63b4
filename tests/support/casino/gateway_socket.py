"""The gateway's socket as a page of a seated person sees it, driven by a test."""

import asyncio
import json
import time
from typing import Any

from playwright.async_api import Page, WebSocketRoute

from support.casino.page_harness import GATEWAY
from support.processes import PATIENCE_S

TOKEN = "the-guests-own-token"
HOLDEM = {
    "public": {
        "pot": 12,
        "current_bet": 4,
        "players": [{"player_id": "p2", "stack": 198, "bet": 2, "status": "active"}],
    },
    "private": {"hole_cards": ["Ah", "Tc"]},
    "availableActions": [
        {"type": "fold"},
        {"type": "call"},
        {"type": "raise", "minAmount": 8, "maxAmount": 200},
        {"type": "all-in"},
    ],
}


class GatewaySocket:
    """The gateway's one socket, driven by the test."""

    def __init__(self, room: str = "main") -> None:
        self.heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._room = room
        self._socket: WebSocketRoute | None = None
        self._sent = 0

    async def route(self, page: Page) -> None:
        """Take the page's socket when it connects."""
        await page.route_web_socket(GATEWAY.replace("http", "ws") + "/ws", self._connect)

    def send(self, kind: str, payload: Any, **envelope: Any) -> None:
        assert self._socket is not None
        self._sent += 1
        message = {
            "type": kind,
            "messageId": f"m{self._sent}",
            "timestamp": time.time() * 1000,
            "payload": payload,
            **envelope,
        }
        self._socket.send(json.dumps(message))

    def ask(self, payload: Any, seconds: float = 600) -> None:
        self.send(
            "game_action_request",
            payload,
            tableId=self._room,
            gameType="texas-holdem",
            handNumber=3,
            timeoutSeconds=seconds,
        )

    async def action(self) -> Any:
        async with asyncio.timeout(PATIENCE_S):
            while (message := await self.heard.get())["type"] != "submit_action":
                pass
        return message["payload"]

    def _connect(self, socket: WebSocketRoute) -> None:
        self._socket = socket
        socket.on_message(self._hear)
        self.send("hello", {"supportedGames": []})

    def _hear(self, text: str | bytes) -> None:
        message = json.loads(text)
        if message["type"] == "authenticate":
            assert message["payload"]["token"] == TOKEN
            self.send("authenticated", {"sessionId": "s1"})
        self.heard.put_nowait(message)
