"""A player of any game, whose legal answers follow from the question."""

import random
from inspect import isawaitable
from typing import Any

from casino_agentkit import ANYONE, Agent
from casino_contracts import (
    GameActionRequest,
    GameActionResponse,
    SignupInvitation,
    SignupResponse,
)


def wild(request: GameActionRequest) -> GameActionResponse:
    """Take an offered action that follows from the question's id."""
    dice = random.Random(request.request_id)
    offer = dice.choice(request.available_actions)
    action = {key: value for key, value in offer.items() if key not in {"min", "max"}}
    if "min" in offer:
        action["amount"] = dice.randint(offer["min"], offer["max"])
    return GameActionResponse(action=action, reasoning="why not")


def wrong(_request: GameActionRequest) -> GameActionResponse:
    """Take an action that is never offered."""
    return GameActionResponse(action={"action_type": "CHEAT", "amount": -1})


class AnyPlayer:
    """A player agent in this process, which records its requests."""

    def __init__(self, name: str, decide: Any = wild) -> None:
        self.name = name
        self.decide = decide
        self.asked: list[GameActionRequest] = []

    def agent(self) -> Agent:
        """Return it as an agent."""
        agent = Agent(self.name, "A player of any game.", infers_skill=True)

        @agent.entrypoint("signup", who=ANYONE)
        async def signup(_invitation: SignupInvitation) -> SignupResponse:
            """Sign up."""
            return SignupResponse(display_name=self.name, plays_any_game=True)

        @agent.entrypoint("act", who=ANYONE)
        async def act(request: GameActionRequest) -> GameActionResponse:
            """Act."""
            self.asked.append(request)
            answer = self.decide(request)
            response: GameActionResponse = await answer if isawaitable(answer) else answer
            return response

        return agent
