"""One level played by an A2A agent, read from the room's recorded events."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

from casino_agentkit import Waits
from casino_agentkit.process.background_tasks import Backoff
from casino_contracts import (
    RoomSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    StreamedRoom,
    TableEvent,
    WaitReason,
    WireModel,
)
from casino_lobby_client.errors import LobbyAway, UnknownRoom
from casino_lobby_client.lobby_client import OVER, LobbyClient
from casino_lobby_client.lobby_stream import Interruption, follow

from casino_evaluator.errors import LevelLost
from casino_evaluator.play.recorder import CANDIDATE, AgentLevel, HandPlayed, LevelEnd, renamed

Json = dict[str, Any]

GONE_AFTER = 10
"""After so many decisions in a row that it did not make, an agent is not there any more."""
_LOOK_S = 5.0
_AWAY_S = 20.0
"""How long the lobby may not answer."""
_BACKOFF = Backoff(first_s=0.1, slowest_s=1.0)
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
    """Decisions in a row, the last one among them, that it did not make."""
    hands: list[HandPlayed] = field(default_factory=list)
    state: Json = field(default_factory=dict)
    position: tuple[int, int] = (0, 0)
    """Epoch and sequence of the newest event."""
    is_finished: bool = False
    is_replaced: bool = False
    """Whether another table agent took the room over."""

    @property
    def is_gone(self) -> bool:
        """Whether the agent is not there any more; nothing later counts."""
        return self.missed >= GONE_AFTER

    def take(self, event: TableEvent) -> None:
        position = (event.epoch or 1, event.sequence or 0)
        if self.is_gone or self.is_finished or position <= self.position:
            return
        self.position = position
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


async def play_out(lobby: LobbyClient, room_id: str, tally: AgentTally, waits: Waits) -> None:
    """Count a room's events until its session is over, or the agent is gone.

    While the agent makes no decisions, the room waits for it. Raises LevelLost, LobbyAway.
    """
    try:
        await _play_out(lobby, room_id, tally, waits)
    finally:
        waits.end(WaitReason.PLAYER_AWAY, room_id)


async def _play_out(lobby: LobbyClient, room_id: str, tally: AgentTally, waits: Waits) -> None:
    """Beside its stream the room is looked at now and then: no event says its table is away."""
    now = asyncio.get_running_loop().time
    cursor, answered_at = "", now()
    while True:
        stream = follow(lobby, room_id, last_id=cursor, backoff=_BACKOFF, is_patient=True)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S), aclosing(stream) as items:
                    async for item in items:
                        if isinstance(item, Interruption):
                            continue
                        await _take(lobby, item.message, tally)
                        if tally.missed:
                            waits.begin(WaitReason.PLAYER_AWAY, room_id)
                        else:
                            waits.end(WaitReason.PLAYER_AWAY, room_id)
                        if tally.is_finished or tally.is_gone:
                            return
                        cursor, answered_at = item.event.last_id, now()
            _check(await lobby.room(room_id))
            answered_at = now()
        except UnknownRoom as error:
            raise LevelLost("the lobby does not know the room any more") from error
        except LobbyAway:
            if now() - answered_at > _AWAY_S:
                raise
            await asyncio.sleep(_BACKOFF.slowest_s)


async def _take(lobby: LobbyClient, message: WireModel | None, tally: AgentTally) -> None:
    match message:
        case RoomStreamSnapshot(room=room):
            newest = max((event.sequence or 0 for event in room.events), default=0)
            for event in await lobby.events_until(room.room_id, tally.position[1], newest):
                tally.take(event)
        case StreamedEvent(event=event):
            tally.take(event)
        case StreamedRoom(room=room):
            raise LevelLost(f"the room is {room.state or room.status}")
    if tally.is_replaced:
        raise LevelLost("the room has got another table")


def _check(room: RoomSnapshot) -> None:
    status = room.summary.status if room.summary else "waiting"
    if room.state in OVER or room.state == "table-away" or status == "error":
        raise LevelLost(f"the room is {room.state or status}")
