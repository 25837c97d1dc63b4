"""Composition root of a process of sample players."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from casino_agentkit import Agent, CardSigner, IdempotencyCache, Service, Waits
from casino_contracts import ActionRequest, ActionResponse, SignupInvitation, SignupResponse
from casino_contracts.base import SECRET_FIELDS
from casino_contracts.fast_struct import FastReader
from starlette.types import ASGIApp

from casino_player_example import __version__
from casino_player_example.sabotage import Sabotage
from casino_player_example.settings import PlayerSettings, player_rule
from casino_player_example.style_catalogue import (
    ANY_GAME_STYLES,
    SABOTEURS,
    STYLES,
    Decide,
    decide_of,
)

if TYPE_CHECKING:  # needed by the styles that play any game
    import httpx
    import httpx2

SECRET_KEYS = (*SECRET_FIELDS, "apiKey", "private", "prompt", "state")
_QUESTIONS = 64
"""Questions that a player remembers with its answers: of so many tables at the same time."""
_LATE = timedelta(seconds=1)
"""So much later than its clock a saboteur answers."""


def player_agent(
    name: str,
    description: str,
    decide: Decide,
    think: timedelta = timedelta(),
    key: str | None = None,
    *,
    is_late: bool = False,
) -> Agent:
    """Return a Hold'em player's agent, with the skills `signup` and `act`.

    `key` is required of callers of both skills; None allows everybody. With `is_late` every
    decision takes longer than its clock.
    """
    agent = Agent(
        name, description, version=__version__, tags=("casino", "player"), infers_skill=True
    )

    rule = player_rule(key)

    @agent.entrypoint("signup", who=rule)
    async def signup(_invitation: SignupInvitation) -> SignupResponse:
        """Accept the casino's invitation."""
        return SignupResponse(display_name=name)

    memory = IdempotencyCache(ignoring=("deadlineMs",), size=_QUESTIONS)
    reader = FastReader(ActionRequest)
    if not think and not is_late:

        @agent.entrypoint("act", who=rule, memory=memory, hot=reader, is_quick=True)
        def act_at_once(request: ActionRequest) -> ActionResponse:
            """Decide one turn."""
            return decide(request)

    else:

        @agent.entrypoint("act", who=rule, memory=memory, hot=reader)
        async def act(request: ActionRequest) -> ActionResponse:
            """Decide one turn."""
            pause = think + _overrun(request) if is_late else think
            if pause:
                await asyncio.sleep(pause.total_seconds())
            return decide(request)

    return agent


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


def _overrun(request: ActionRequest) -> timedelta:
    """Return a time in which the clock of a question has ended; the protocol's is 10 s."""
    clock_ms = 10_000 if request.deadline_ms is None else request.deadline_ms
    return timedelta(milliseconds=clock_ms + (request.time_bank_ms or 0)) + _LATE


def agents_of(settings: PlayerSettings, agent_of: Callable[[str], Agent]) -> dict[str, Agent]:
    name = settings.display_name
    if settings.count == 1:
        return {"": agent_of(name)}
    return {
        f"/players/{number}": agent_of(f"{name} {number}")
        for number in range(1, settings.count + 1)
    }
