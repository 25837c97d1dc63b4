"""Composition root of a process of sample players."""

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from casino_agentkit import Agent, CardSigner, Service, Waits
from casino_contracts.base import SECRET_FIELDS
from starlette.types import ASGIApp

from casino_player_example.holdem_agent import player_agent
from casino_player_example.sabotage import Sabotage
from casino_player_example.settings import PlayerSettings
from casino_player_example.style_catalogue import ANY_GAME_STYLES, SABOTEURS, STYLES, decide_of

if TYPE_CHECKING:  # needed by the styles that play any game
    import httpx
    import httpx2

SECRET_KEYS = (*SECRET_FIELDS, "apiKey", "private", "prompt", "state")


def build_app(
    settings: PlayerSettings,
    url: str,
    *,
    http: "httpx.AsyncClient | None" = None,
    provider: "httpx2.AsyncBaseTransport | None" = None,
    clock: Callable[[], float] = time.monotonic,
) -> Service:
    """Return one player at the root, or several below /players.

    `http` is for the lobby, and `provider` for that of a model.
    """

    def guarded(app: ASGIApp) -> ASGIApp:
        if settings.style in {"garbage", "disconnecting"}:
            app = Sabotage(app, disconnects=settings.style == "disconnecting")
        return settings.guarded(app, url)

    is_saboteur = settings.style in SABOTEURS
    key, waits = settings.player_key(), Waits()
    service_of = partial(
        Service,
        public_url=settings.public_url,
        guarded=guarded,
        page_rules=None if is_saboteur else settings.page_rules(url),
        signer=CardSigner.kept_at(settings.card_key),
        capability=key,
        a2a_03=settings.a2a_03,
        waits=waits,
    )
    if settings.style in ANY_GAME_STYLES:
        # Imported lazily: the other styles do not need JSON Schema and the other dependencies.
        import httpx  # noqa: PLC0415

        from casino_player_example.any_game import build_players  # noqa: PLC0415

        players = build_players(
            settings,
            http or httpx.AsyncClient(verify=settings.client_tls()),
            clock,
            key,
            provider,
            waits,
        )
        return service_of(agents_of(settings, players.agent), stop=players.stop)
    description = f"A sample player that {(STYLES | SABOTEURS)[settings.style]}."
    decide = decide_of(settings.style)
    is_late = settings.style == "slow"
    agents = agents_of(
        settings,
        lambda name: player_agent(name, description, decide, settings.think, key, is_late=is_late),
    )
    return service_of(agents)


def agents_of(settings: PlayerSettings, agent_of: Callable[[str], Agent]) -> dict[str, Agent]:
    name = settings.display_name
    if settings.count == 1:
        return {"": agent_of(name)}
    return {
        f"/players/{number}": agent_of(f"{name} {number}")
        for number in range(1, settings.count + 1)
    }
