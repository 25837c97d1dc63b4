"""A player agent that is asked in the words of a game's specification, whatever the game."""

from typing import Protocol

from casino_agentkit import Agent, Memory
from casino_contracts import (
    GameActionRequest,
    GameActionResponse,
    SignupInvitation,
    SignupResponse,
)

from casino_player_example import __version__


class AnyGamePlayer(Protocol):
    """Decides turns of any game."""

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        """Decide one turn."""
        ...


def any_game_agent(name: str, description: str, player: AnyGamePlayer) -> Agent:
    """Return the agent of such a player; it says of itself that it plays any game."""
    agent = Agent(
        name, description, version=__version__, tags=("casino", "player"), infers_skill=True
    )

    @agent.entrypoint("signup")
    async def signup(_invitation: SignupInvitation) -> SignupResponse:
        """Accept the casino's invitation."""
        return SignupResponse(display_name=name, plays_any_game=True)

    @agent.entrypoint("act", memory=Memory(ignoring=("deadlineMs",), size=256))
    async def act(request: GameActionRequest) -> GameActionResponse:
        """Decide one turn of any game."""
        return await player.act(request)

    return agent
