"""Players that are asked in the words of a game's specification, whatever the game.

What the players of a process share is put together here: a lobby to read at, a model, a budget.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import httpx
from casino_agentkit import Agent, IdempotencyCache
from casino_contracts import (
    GameActionRequest,
    GameActionResponse,
    SignupInvitation,
    SignupResponse,
)
from casino_gamespec import Lobby, Specifications

from casino_player_example import __version__
from casino_player_example.rulebook import Rulebook
from casino_player_example.seats import PlayerRules
from casino_player_example.settings import PlayerSettings
from casino_player_example.styles.catalogue import ANY_GAME_STYLES
from casino_player_example.styles.generic import GenericPlayer

_LOBBY_TIMEOUT = timedelta(seconds=10)


class AnyGamePlayer(Protocol):
    """Decides turns of any game."""

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        """Decide one turn."""
        ...


def any_game_agent(
    name: str, description: str, player: AnyGamePlayer, key: str | None = None
) -> Agent:
    """Return the agent of such a player; it says of itself that it plays any game.

    `key` is what callers need to invite and ask it; None: anybody may.
    """
    agent = Agent(
        name, description, version=__version__, tags=("casino", "player"), infers_skill=True
    )

    rules = PlayerRules(key)

    @agent.entrypoint("signup", who=rules.inviting)
    async def signup(invitation: SignupInvitation) -> SignupResponse:
        """Accept the casino's invitation."""
        rules.invited(invitation)
        return SignupResponse(display_name=name, plays_any_game=True)

    @agent.entrypoint(
        "act", who=rules.asking, memory=IdempotencyCache(ignoring=("deadlineMs",), size=256)
    )
    async def act(request: GameActionRequest) -> GameActionResponse:
        """Decide one turn of any game."""
        return await player.act(request)

    return agent


@dataclass
class Players:
    """One way to play, for all agents of a process, and what it has open."""

    player: AnyGamePlayer
    description: str
    http: httpx.AsyncClient
    specifications: Specifications | None
    key: str | None = None
    """What callers need to invite and ask them."""

    def agent(self, name: str) -> Agent:
        """Return an agent of this name."""
        return any_game_agent(name, self.description, self.player, self.key)

    async def stop(self) -> None:
        """Close what is open."""
        if self.specifications is not None:
            await self.specifications.close()
        await self.http.aclose()


def build_players(
    settings: PlayerSettings, http: httpx.AsyncClient, clock: Callable[[], float]
) -> Players:
    """Return the players of the styles `generic` and `llm`; `http` is theirs to close."""
    specifications = None
    if settings.lobby_url is not None:
        specifications = Specifications(
            Lobby(http, settings.lobby_url, timeout=_LOBBY_TIMEOUT),
            clock=clock,
            directory=Path(settings.specifications) if settings.specifications else None,
        )
    rulebook = Rulebook(specifications)
    player: AnyGamePlayer = (
        _llm_player(settings, rulebook, http)
        if settings.style == "llm"
        else GenericPlayer(rulebook, think=settings.think)
    )
    description = f"A sample player that {ANY_GAME_STYLES[settings.style]}."
    return Players(player, description, http, specifications, settings.player_key)


def _llm_player(
    settings: PlayerSettings, rulebook: Rulebook, http: httpx.AsyncClient
) -> AnyGamePlayer:
    # Imported only now: it reasons with the games.
    from casino_player_example.chat import Chat  # noqa: PLC0415
    from casino_player_example.styles.llm import LlmPlayer  # noqa: PLC0415
    from casino_player_example.tokens import TokenBudget  # noqa: PLC0415

    base_url, model, key = settings.llm_base_url, settings.llm_model, settings.llm_api_key
    if base_url is None or model is None or key is None:
        raise ValueError("settings of the style llm name an endpoint, a model and a key")
    chat = Chat(
        http,
        base_url=base_url,
        model=model,
        api_key=key,
        max_tokens=settings.llm_max_tokens,
        budget=TokenBudget(settings.llm_token_budget),
        stream=settings.llm_stream,
    )
    return LlmPlayer(rulebook, chat, timeout=settings.llm_timeout)
