"""An LLM player with its model's server and its lobby, in virtual time."""

import asyncio
from datetime import timedelta
from itertools import pairwise
from typing import Any, Self

from casino_agentkit import Waits
from casino_contracts import GameActionResponse
from casino_gamespec import Lobby, Specifications
from casino_player_example.any_game import open_llm_player
from casino_player_example.rulebook import Rulebook
from casino_player_example.settings import PlayerSettings
from structlog.testing import capture_logs

from support.players.model_server import KEY, ModelServer, Reply
from support.specifications import LobbySide, specification
from support.table.any_game import question

PROSE = 'The king is best, so I bet.\n```json\n{"action_type": "BET"}\n```\nGood luck!'
MINUTE = timedelta(minutes=1)


class LlmHarness:
    """A player, its model's server and its lobby.

    `settings` are those of the player, without `llm_`.
    """

    def __init__(self, *replies: Reply, model: str = "openai:stand-in", **settings: Any) -> None:
        self.server = ModelServer(*replies)
        self.lobby = LobbySide(kuhn_poker=specification())
        given: dict[str, Any] = {"api_key": KEY, "max_tokens": 200, "token_budget": 100_000}
        self.settings = PlayerSettings.load(
            {},
            style="llm",
            llm_model=model,
            **{f"llm_{name}": value for name, value in (given | settings).items()},
        )
        lobby = Lobby(self.lobby.client(), "http://lobby", timeout=MINUTE)
        self.told = Waits()
        """What the player's process waits for."""
        rulebook = Rulebook(Specifications(lobby, clock=lambda: 0.0))
        self.player = open_llm_player(
            self.settings,
            rulebook,
            self.server.transport(),
            self.told,
            clock=lambda: asyncio.get_running_loop().time(),
        )

    @property
    def waits(self) -> list[float]:
        """The pauses between its calls, in seconds."""
        return [later - earlier for earlier, later in pairwise(self.server.times)]

    @property
    def spent(self) -> int:
        """Tokens of the budget."""
        return self.player.budget.spent.tokens

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.player.close()

    async def act(self, **changes: Any) -> GameActionResponse:
        """Ask the player; checks that neither its cards nor its key are logged."""
        with capture_logs() as logs:
            answer = await self.player.act(question(**changes))
        assert KEY not in str(logs)
        assert "king" not in str(logs)
        assert KEY not in answer.model_dump_json()
        assert answer.message is None
        return answer
