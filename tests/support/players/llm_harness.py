"""An LLM player with its model's server and its lobby."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
from casino_contracts import GameActionResponse
from casino_gamespec import Lobby, Specifications
from casino_player_example.chat import Chat, TokenBudget
from casino_player_example.rulebook import Rulebook
from casino_player_example.styles.llm import LlmPlayer
from pydantic import SecretStr
from structlog.testing import capture_logs

from support.players.chat_server import (
    ChatServer,
    Reply,
    serving,
)
from support.specifications import LobbySide, specification
from support.table.any_game import question

KEY = "sk-the-key-that-nobody-may-see"


PROSE = 'The king is best, so I bet.\n```json\n{"action_type": "BET"}\n```\nGood luck!'
MINUTE = timedelta(minutes=1)


class LlmHarness:
    """A player, its model's server and its lobby."""

    def __init__(self, server: ChatServer, url: str, *, cap: int, stream: bool) -> None:
        self.server = server
        self.waits: list[float] = []
        self.budget = TokenBudget(cap)
        self.http = httpx.AsyncClient()
        self.lobby = LobbySide(kuhn_poker=specification())
        chat = Chat(
            self.http,
            base_url=url,
            model="stand-in",
            api_key=SecretStr(KEY),
            max_tokens=200,
            budget=self.budget,
            stream=stream,
            sleep=self._wait,
        )
        lobby = Lobby(self.lobby.client(), "http://lobby", timeout=MINUTE)
        rulebook = Rulebook(Specifications(lobby, clock=lambda: 0.0))
        self.player = LlmPlayer(rulebook, chat, timeout=MINUTE)

    async def act(self, **changes: Any) -> GameActionResponse:
        """Ask the player; checks that neither its cards nor its key are logged."""
        with capture_logs() as logs:
            answer = await self.player.act(question(**changes))
        assert KEY not in str(logs)
        assert "king" not in str(logs)
        assert KEY not in (answer.reasoning or "")
        assert answer.message is None
        return answer

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)


@asynccontextmanager
async def llm_harness(
    *replies: Reply, cap: int = 100_000, stream: bool = True
) -> AsyncIterator[LlmHarness]:
    """Start a model's server with these replies, and a player that calls it."""
    server = ChatServer(*replies)
    async with serving(server) as url:
        opened = LlmHarness(server, url, cap=cap, stream=stream)
        try:
            yield opened
        finally:
            await opened.http.aclose()
