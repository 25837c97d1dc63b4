"""Agents that play any game by its specification, and the dependencies they share."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from urllib.parse import urlsplit

import httpx
from casino_agentkit import Agent, IdempotencyCache, InvalidSettings, Waits
from casino_contracts import (
    HOLDEM,
    GameActionRequest,
    GameActionResponse,
    HandNotice,
    HandNoticeOutput,
    PlayerProfile,
    SignupInvitation,
    SignupResponse,
)
from casino_gamespec import Lobby, Specifications

from casino_player_example import __version__
from casino_player_example.holdem_agent import OwnDeals
from casino_player_example.rulebook import Rulebook
from casino_player_example.settings import PlayerSettings, player_rule
from casino_player_example.style_catalogue import ANY_GAME_STYLES
from casino_player_example.styles.generic_player import GenericPlayer

if TYPE_CHECKING:  # needed by the style that asks a model
    import httpx2

    from casino_player_example.styles.llm import LlmPlayer

_REPLY_BYTES, _BYTES_PER_TOKEN = 4_000_000, 400
"""A stream has so many bytes for each token, and a whole answer fewer."""
_MAX_ADVICE = 12_000


class AnyGamePlayer(Protocol):
    """Decides turns of any game."""

    async def act(self, request: GameActionRequest) -> GameActionResponse: ...


@runtime_checkable
class AttentivePlayer(AnyGamePlayer, Protocol):
    """Learns from hands that are over."""

    def notice(self, notice: HandNotice) -> None: ...


@runtime_checkable
class ModelPlayer(AttentivePlayer, Protocol):
    """Decides turns by a model."""

    @property
    def profile(self) -> PlayerProfile:
        """What it says of itself at signup."""

    async def prepare(self, patience: timedelta) -> None:
        """Find out whether the model answers, before a seat is taken; raises CommandRefused."""

    async def close(self) -> None: ...


def any_game_agent(
    name: str, description: str, player: AnyGamePlayer, rulebook: Rulebook, key: str | None = None
) -> Agent:
    """Return the agent of a player, which declares at signup that it plays any game.

    It reads the room's game in the `rulebook`, and asks its model, before it accepts. An
    `AttentivePlayer` gets the notices of its hands. `key` is required of callers of all skills;
    None allows everybody.
    """
    agent = Agent(
        name, description, version=__version__, tags=("casino", "player"), infers_skill=True
    )

    rule = player_rule(key)
    OwnDeals(agent, rule)

    @agent.entrypoint("signup", who=rule)
    async def signup(invitation: SignupInvitation) -> SignupResponse:
        """Accept the casino's invitation, with the game's specification at hand."""
        await rulebook.prepare(invitation.game_type or HOLDEM)
        profile = None
        if isinstance(player, ModelPlayer):
            await player.prepare(rulebook.patience)
            profile = player.profile
        return SignupResponse(display_name=name, plays_any_game=True, profile=profile)

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
        if isinstance(self.player, ModelPlayer):
            await self.player.close()
        if self.specifications is not None:
            await self.specifications.close()
        await self.http.aclose()


def build_players(
    settings: PlayerSettings,
    http: httpx.AsyncClient,
    clock: Callable[[], float],
    key: str | None,
    provider: "httpx2.AsyncBaseTransport | None" = None,
    waits: Waits | None = None,
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
    player = player_of(settings, rulebook, provider, waits)
    description = f"A sample player that {ANY_GAME_STYLES[settings.style]}."
    return ProcessPlayers(player, rulebook, description, http, specifications, key)


def player_of(
    settings: PlayerSettings,
    rulebook: Rulebook,
    provider: "httpx2.AsyncBaseTransport | None" = None,
    waits: Waits | None = None,
) -> AnyGamePlayer:
    """Return the player of the style `generic` or `llm`; raises InvalidSettings."""
    if settings.style == "llm":
        return open_llm_player(settings, rulebook, provider, waits)
    return GenericPlayer(rulebook, think=settings.think)


def open_llm_player(
    settings: PlayerSettings,
    rulebook: Rulebook | None = None,
    provider: "httpx2.AsyncBaseTransport | None" = None,
    waits: Waits | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> "LlmPlayer":
    """Return the player of a model, for whoever seats it: `probe` it first, and `close` it.

    Without a `rulebook` it plays by the available actions alone. `provider` is in the place of the
    network to the model's provider, and `waits` are told while that is away. `settings` come of
    `PlayerSettings.load(style="llm", llm_model="PROVIDER:NAME")`, which finds the key. Raises
    InvalidSettings.
    """
    # Imported lazily: only this style needs the games, and the extra `llm`.
    from casino_games import BrokenRegistration, import_games  # noqa: PLC0415

    from casino_player_example.model_providers import open_http, open_model  # noqa: PLC0415

    try:
        import_games(settings.games)
    except BrokenRegistration as error:
        raise InvalidSettings(f"{settings.prefix}GAMES: {error}") from error
    model_provider, name = settings.llm
    base_url = settings.llm_base_url or model_provider.base_url
    if base_url is None:
        raise InvalidSettings(f"the style llm needs {settings.prefix}LLM_BASE_URL")
    most_bytes = _REPLY_BYTES + _BYTES_PER_TOKEN * settings.llm_max_tokens
    http = open_http(settings.client_tls(), most_bytes, provider)
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else None
    opened = open_model(model_provider, name, base_url=base_url, key=key, http=http)

    if settings.llm_body and "extra_body" in opened.unsupported_settings:
        raise InvalidSettings(f"{settings.prefix}LLM_BODY: {model_provider.name} takes none")

    from casino_player_example.language_model import (  # noqa: PLC0415
        CallOptions,
        LanguageModel,
    )
    from casino_player_example.model_costs import ModelBudget  # noqa: PLC0415
    from casino_player_example.styles.llm import LlmPlayer  # noqa: PLC0415
    from casino_player_example.transcript import Transcript  # noqa: PLC0415

    options = CallOptions(
        max_tokens=settings.llm_max_tokens,
        stream=settings.llm_stream,
        temperature=settings.llm_temperature,
        effort=settings.llm_effort,
        headers=settings.headers_of_llm,
        body=settings.llm_body or {},
        attempts=settings.llm_attempts,
        concurrency=settings.llm_concurrency,
    )
    variables = model_provider.key_variables or (f"{settings.prefix}LLM_API_KEY",)
    model = LanguageModel(
        opened,
        http,
        options,
        ModelBudget(settings.llm_token_budget, settings.llm_usd_budget),
        waits=waits or Waits(),
        secrets=[secret for secret in (key, urlsplit(base_url).password) if secret],
        key_variable=variables[0],
        clock=clock,
    )
    if settings.llm_usd_budget is not None and not model.is_priced:
        raise InvalidSettings(
            f"{settings.prefix}LLM_USD_BUDGET: the price of {name} is not known; use"
            f" {settings.prefix}LLM_TOKEN_BUDGET instead"
        )
    return LlmPlayer(
        rulebook or Rulebook(None),
        model,
        timeout=settings.llm_timeout,
        publishes_reasoning=settings.llm_publish_reasoning,
        advice=_advice(settings),
        transcript=Transcript(settings.llm_transcript) if settings.llm_transcript else None,
    )


def _advice(settings: PlayerSettings) -> str:
    if settings.llm_prompt_file is None:
        return ""
    try:
        return settings.llm_prompt_file.read_text(encoding="utf-8")[:_MAX_ADVICE].strip()
    except (OSError, ValueError) as error:
        raise InvalidSettings(
            f"{settings.prefix}LLM_PROMPT_FILE: cannot be read: {error}"
        ) from error
