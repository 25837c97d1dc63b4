"""A table's decision of an answer that a function of the test gives, over the wire."""

import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, NamedTuple

from casino_agentkit import CommandRefused, Conversation, RemoteRefused
from casino_contracts import ActionRequest, GameActionRequest
from casino_play.turn import AgentSeat, Decision, Turn
from casino_table.practice.practice_judge import (
    HOLDEM_TABLES,
    NOBODY,
    OTHER_GAMES_TABLES,
    chosen,
    posed,
)

from support.table.virtual_clock import VirtualClock


class Component(NamedTuple):
    """A way in which something answers in a player's place."""

    answer: Callable[[Any], Awaitable[Any]]
    reason: str
    is_holdem: bool = False
    is_second: bool = False
    """Whether the first answer was refused."""


class ComponentPeer:
    """The agent of a component, whose answers go over the wire."""

    is_invoke = False

    def __init__(self, component: Component) -> None:
        self.component = component
        self.asked: list[Any] = []

    async def peer(self, _card_url: str, _timeout: timedelta) -> "ComponentPeer":
        return self

    def forget(self, _card_url: str) -> None: ...

    async def call(self, _skill: str, message: bytes, output: Any, **_options: Any) -> Any:
        kind = ActionRequest if self.component.is_holdem else GameActionRequest
        self.asked.append(request := kind.model_validate_json(message))
        if self.component.is_second and len(self.asked) == 1:
            action: Any = "check" if self.component.is_holdem else {"action_type": "CHEAT"}
            reply: Any = {"action": action}
        else:
            try:
                reply = await self.component.answer(request)
            except CommandRefused as refusal:
                said = refusal.message
                raise RemoteRefused("p", said, code=-32004, reason=refusal.reason) from refusal
        wire = json.dumps(reply).encode() if isinstance(reply, dict) else reply.wire()
        if isinstance(output, type):
            return output.model_validate_json(wire)  # type: ignore[attr-defined]
        try:
            return output.read(wire)
        except ValueError:
            return output.model.model_validate_json(wire)


async def decided(component: Component) -> tuple[Decision, ComponentPeer]:
    """Return what a table makes of a component's answer to a question of practice."""
    tables = HOLDEM_TABLES if component.is_holdem else OTHER_GAMES_TABLES[1:]
    # The first decision with a bet to face, where no check is legal.
    spot = next(spot for spot in chosen(tables, 1, 60) if "check" not in map(str.lower, spot.legal))
    question = posed(spot, NOBODY._replace(plays_any_game=not component.is_holdem))
    peer: Any = ComponentPeer(component)
    seat = AgentSeat("http://player", "act", clock_ms=9_000)
    decision = await Turn(peer, VirtualClock()).decide(seat, question, Conversation())
    return decision, peer
