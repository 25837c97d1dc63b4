"""A player of any game, whose legal answers follow from the question.

`python -m support.players.any_player --port N` serves one.
"""

import argparse
import random
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

from casino_agentkit import ANYONE, Agent, Service, configure_logs, serve
from casino_contracts import (
    GameActionRequest,
    GameActionResponse,
    HandNotice,
    HandNoticeOutput,
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


def noticed(player: Any) -> tuple[Agent, list[HandNotice]]:
    """Return the agent of a player with the skill `notify`, and the notices it gets."""
    agent: Agent = player.agent()
    notices: list[HandNotice] = []

    @agent.entrypoint("notify", who=ANYONE)
    async def notify(notice: HandNotice) -> HandNoticeOutput:
        """Take a notice."""
        notices.append(notice)
        return HandNoticeOutput()

    return agent, notices


def kinds(notices: list[HandNotice]) -> list[tuple[int, str]]:
    return [(notice.hand_number, notice.kind) for notice in notices]


def pairs(hands: int, *, of: Callable[[int], bool] = bool) -> list[tuple[int, Any]]:
    """Return the kinds of notices of a player that was dealt into hands."""
    return [
        (number, kind)
        for number in range(1, hands + 1)
        if of(number)
        for kind in ("dealt", "completed")
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--supervised", action="store_true")
    arguments = parser.parse_args()
    configure_logs("native", level="WARNING", secret_keys=())
    serve(
        lambda _url: Service({"": AnyPlayer("Native").agent()}),
        host="127.0.0.1",
        port=arguments.port,
        supervised=arguments.supervised,
    )


if __name__ == "__main__":
    main()
