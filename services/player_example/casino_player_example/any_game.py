"""Agents that play any game by its specification, and the dependencies they share."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import httpx
from casino_agentkit import Agent, IdempotencyCache, InvalidSettings
from casino_contracts import (
    HOLDEM,
    GameActionRequest,
    GameActionResponse,
    HandNotice,
    HandNoticeOutput,
    SignupInvitation,
    SignupResponse,
)
from casino_gamespec import Lobby, Specifications

from casino_player_example import __version__
from casino_player_example.rulebook import Rulebook
from casino_player_example.settings import PlayerSettings, player_rule
from casino_player_example.style_catalogue import ANY_GAME_STYLES
from casino_player_example.styles.generic_player import GenericPlayer


class AnyGamePlayer(Protocol):
    """Decides turns of any game."""

    async def act(self, request: GameActionRequest) -> GameActionResponse: ...


@runtime_checkable
class AttentivePlayer(AnyGamePlayer, Protocol):
    """Learns from hands that are over."""

    def notice(self, notice: HandNotice) -> None: ...


def any_game_agent(
    name: str, description: str, player: AnyGamePlayer, rulebook: Rulebook, key: str | None = None
) -> Agent:
    """Return the agent of a player, which declares at signup that it plays any game.

    It reads the room's game in the `rulebook` before it accepts. An `AttentivePlayer` gets the
    notices of its hands. `key` is required of callers of all skills; None allows everybody.
    """
    agent = Agent(
        name, description, version=__version__, tags=("casino", "player"), infers_skill=True
    )

    rule = player_rule(key)

    @agent.entrypoint("signup", who=rule)
    async def signup(invitation: SignupInvitation) -> SignupResponse:
        """Accept the casino's invitation, with the game's specification at hand."""
        await rulebook.prepare(invitation.game_type or HOLDEM)
        return SignupResponse(display_name=name, plays_any_game=True)

    @agent.entrypoint("act", who=rule, memory=IdempotencyCache(ignoring=("deadlineMs",), size=256))
    async def act(request: GameActionRequest) -> GameActionResponse:
        """Decide one turn of any game."""
        return await player.act(request)

    if isinstance(player, AttentivePlayer):
        attentive = player

        @agent.entrypoint("notify", who=rule)
        async def notify(notice: HandNotice) -> HandNoticeOutput:
            """Learn from a hand that is over."""
            attentive.notice(notice)
            return HandNoticeOutput()

    return agent


@dataclass
class ProcessPlayers:
    """The player behind all agents of a process, with the resources to close."""

    player: AnyGamePlayer
    rulebook: Rulebook
    description: str
    http: httpx.AsyncClient
    specifications: Specifications | None
    key: str | None = None
    """Key required of callers; None allows everybody."""

    def agent(self, name: str) -> Agent:
        return any_game_agent(name, self.description, self.player, self.rulebook, self.key)

    async def stop(self) -> None:
        if self.specifications is not None:
            await self.specifications.close()
        await self.http.aclose()


def build_players(
    settings: PlayerSettings, http: httpx.AsyncClient, clock: Callable[[], float], key: str | None
) -> ProcessPlayers:
    """Return the players of the style `generic` or `llm`, which take ownership of `http`."""
    specifications = None
    if settings.lobby_url is not None:
        specifications = Specifications(
            Lobby(http, settings.lobby_url, timeout=settings.specification_timeout),
            clock=clock,
            directory=Path(settings.specifications) if settings.specifications else None,
        )
    rulebook = Rulebook(specifications, settings.specification_timeout)
    player = player_of(settings, rulebook, http)
    description = f"A sample player that {ANY_GAME_STYLES[settings.style]}."
    return ProcessPlayers(player, rulebook, description, http, specifications, key)


def player_of(
    settings: PlayerSettings, rulebook: Rulebook, http: httpx.AsyncClient
) -> AnyGamePlayer:
    """Return the player of the style `generic` or `llm`; `http` is for the model's server."""
    if settings.style == "llm":
        return _llm_player(settings, rulebook, http)
    return GenericPlayer(rulebook, think=settings.think)


def _llm_player(
    settings: PlayerSettings, rulebook: Rulebook, http: httpx.AsyncClient
) -> AnyGamePlayer:
    # Imported lazily: only this style needs the games.
    from casino_games import BrokenRegistration, import_games  # noqa: PLC0415

    from casino_player_example.chat import Chat, TokenBudget  # noqa: PLC0415
    from casino_player_example.styles.llm import LlmPlayer  # noqa: PLC0415

    try:
        import_games(settings.games)
    except BrokenRegistration as error:
        raise InvalidSettings(f"{settings.prefix}GAMES: {error}") from error

    base_url, model, key = settings.llm_base_url, settings.llm_model, settings.llm_api_key
    if base_url is None or model is None or key is None:
        raise ValueError("the style llm needs llm_base_url, llm_model and llm_api_key")
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
