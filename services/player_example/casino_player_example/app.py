"""The composition root of a process of sample players."""

import asyncio
from datetime import timedelta

from casino_agentkit import Agent, Memory, Service
from casino_contracts import ActionRequest, ActionResponse, SignupInvitation, SignupResponse

from casino_player_example import __version__
from casino_player_example.settings import PlayerSettings
from casino_player_example.styles import STYLES, Decide, decide_of

SECRET_KEYS = ("holeCards", "reasoning", "secret", "authorization")
"""What never stands in a log."""


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


def build_app(settings: PlayerSettings) -> Service:
    """Return the service: one player at the root, or several below /players."""
    name = settings.name or settings.style.capitalize()
    description = f"A sample player that {STYLES[settings.style]}."
    decide = decide_of(settings.style)
    if settings.count == 1:
        agents = {"": player_agent(name, description, decide, settings.think)}
    else:
        agents = {
            f"/players/{number}": player_agent(
                f"{name} {number}", description, decide, settings.think
            )
            for number in range(1, settings.count + 1)
        }
    return Service(agents, public_url=settings.public_url)
