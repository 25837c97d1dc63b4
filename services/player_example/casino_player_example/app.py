"""The composition root of a process of sample players."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import httpx
from casino_agentkit import Agent, Memory, Service
from casino_contracts import ActionRequest, ActionResponse, SignupInvitation, SignupResponse
from casino_gamespec import Lobby, Specifications

from casino_player_example import __version__
from casino_player_example.any_game import AnyGamePlayer, any_game_agent
from casino_player_example.generic import GenericPlayer
from casino_player_example.rulebook import Rulebook
from casino_player_example.settings import PlayerSettings
from casino_player_example.styles import ANY_GAME_STYLES, STYLES, Decide, decide_of

SECRET_KEYS = (
    "holeCards", "reasoning", "secret", "authorization", "apiKey", "state", "private", "prompt",
)  # fmt: skip
"""What never stands in a log."""

_LOBBY_TIMEOUT = timedelta(seconds=10)


def player_agent(
    name: str, description: str, decide: Decide, think: timedelta = timedelta()
) -> Agent:
    """Return a player: this is all that an agent needs to sit down."""
    agent = Agent(
        name, description, version=__version__, tags=("casino", "player"), infers_skill=True
    )

    @agent.entrypoint("signup")
    async def signup(_invitation: SignupInvitation) -> SignupResponse:
        """Accept the casino's invitation."""
        return SignupResponse(display_name=name)

    @agent.entrypoint("act", memory=Memory(ignoring=("deadlineMs",), size=256))
    async def act(request: ActionRequest) -> ActionResponse:
        """Decide one turn."""
        if think:
            await asyncio.sleep(think.total_seconds())
        return decide(request)

    return agent


def build_app(
    settings: PlayerSettings,
    *,
    http: httpx.AsyncClient | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Service:
    """Return the service: one player at the root, or several below /players.

    `http` reaches the lobby and the model, for the styles that play any game.
    """
    if settings.style in ANY_GAME_STYLES:
        return _any_game_service(settings, http or httpx.AsyncClient(), clock)
    description = f"A sample player that {STYLES[settings.style]}."
    decide = decide_of(settings.style)
    agents = _agents(settings, lambda name: player_agent(name, description, decide, settings.think))
    return Service(agents, public_url=settings.public_url)


def _agents(settings: PlayerSettings, agent_of: Callable[[str], Agent]) -> dict[str, Agent]:
    """Return the agents by their base paths."""
    name = settings.name or settings.style.capitalize()
    if settings.count == 1:
        return {"": agent_of(name)}
    return {
        f"/players/{number}": agent_of(f"{name} {number}")
        for number in range(1, settings.count + 1)
    }


def _any_game_service(
    settings: PlayerSettings, http: httpx.AsyncClient, clock: Callable[[], float]
) -> Service:
    """Return players that share what they read: one rulebook, one model, one budget."""
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

    async def stop() -> None:
        if specifications is not None:
            await specifications.close()
        await http.aclose()

    agents = _agents(settings, lambda name: any_game_agent(name, description, player))
    return Service(agents, public_url=settings.public_url, stop=stop)


def _llm_player(
    settings: PlayerSettings, rulebook: Rulebook, http: httpx.AsyncClient
) -> AnyGamePlayer:
    # Imported only now: it reasons with the games.
    from casino_player_example.chat import Chat  # noqa: PLC0415
    from casino_player_example.llm import LlmPlayer  # noqa: PLC0415
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
