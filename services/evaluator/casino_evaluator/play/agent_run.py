"""One level played by an A2A agent, read from the room's recorded events."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from casino_contracts import RoomSnapshot, TableEvent
from casino_seats.errors import LobbyUnavailable, UnknownRoom
from casino_seats.lobby_client import OVER, LobbyClient

from casino_evaluator.errors import LevelLost
from casino_evaluator.play.recorder import CANDIDATE, AgentLevel, HandPlayed, LevelEnd, renamed

Json = dict[str, Any]

GONE_AFTER = 10
"""After so many decisions in a row that the table took for it, an agent is not there any more."""
_LOOK_S = 0.25
_FAILURES = 80
"""How often in a row the lobby may not answer."""
_OWN = {"ok", "retried"}
_HOLDEM_END = ("communityCards", "pots", "shown")


@dataclass
class AgentTally:
    """What an agent has done in a room, by the room's events, in order. Pure."""

    ids: Mapping[str, str]
    stack: int
    actions: int = 0
    not_own: int = 0
    missed: int = 0
    """Decisions in a row, the last one among them, that the table took for it."""
    hands: list[HandPlayed] = field(default_factory=list)
    state: Json = field(default_factory=dict)
    is_finished: bool = False
    is_replaced: bool = False
    """Whether another table agent took the room over."""

    @property
    def is_gone(self) -> bool:
        """Whether the agent is not there any more; nothing later counts."""
        return self.missed >= GONE_AFTER

    def take(self, event: TableEvent) -> None:
        """Count an event."""
        if self.is_gone or self.is_finished:
            return
        payload = renamed(event.payload or {}, self.ids)
        self.is_replaced = self.is_replaced or (event.epoch or 1) > 1
        if event.event_type == "action_taken" and payload.get("playerId") == CANDIDATE:
            is_own = payload.get("outcome") in _OWN
            self.actions += 1
            self.not_own += not is_own
            self.missed = 0 if is_own else self.missed + 1
        elif event.event_type == "hand_completed":
            self._end_hand(payload)
        self.is_finished = payload.get("kind") == "finished"

    def level(self, target: int) -> AgentLevel:
        """Return the level as it was played; an agent that is gone has failed."""
        is_completed = self.is_finished and self.stack >= target
        return AgentLevel(
            LevelEnd.COMPLETED if is_completed else LevelEnd.FAILED,
            self.actions,
            self.not_own,
            tuple(self.hands),
            self.state,
        )

    def _end_hand(self, payload: Json) -> None:
        stacks = {item["playerId"]: int(item["stack"]) for item in payload["stacks"]}
        after = stacks.get(CANDIDATE, self.stack)
        self.hands.append(HandPlayed(payload["handNumber"], after - self.stack))
        self.stack = after
        # Events of Hold'em have a form of their own.
        result = payload.get("result") or {}
        self.state = result.get("public") or {
            key: payload[key] for key in _HOLDEM_END if key in payload
        }


async def follow(lobby: LobbyClient, room_id: str, tally: AgentTally) -> None:
    """Count a room's events until its session is over, or the agent is gone.

    Raises LevelLost, LobbyUnavailable.
    """
    counted = failures = 0
    while True:
        try:
            room = await lobby.room(room_id)
            newest = max((event.sequence or 0 for event in room.events), default=0)
            for event in await lobby.events(room_id, counted, newest):
                tally.take(event)
                counted = event.sequence or counted
            failures = 0
        except UnknownRoom as error:
            raise LevelLost("the lobby does not know the room any more") from error
        except LobbyUnavailable:
            failures += 1
            if failures > _FAILURES:
                raise
        else:
            if tally.is_finished or tally.is_gone:
                return
            _check(room, tally)
        await asyncio.sleep(_LOOK_S)


def _check(room: RoomSnapshot, tally: AgentTally) -> None:
    status = room.summary.status if room.summary else "waiting"
    if room.state in OVER or room.state == "table-away" or status == "error":
        raise LevelLost(f"the room is {room.state or status}")
    if tally.is_replaced:
        raise LevelLost("the room has got another table")
