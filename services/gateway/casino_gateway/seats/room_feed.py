"""One room as the gateway knows it: its match, its newest events, and the seats that follow it."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from casino_contracts import RoomSnapshot, TableEvent
from casino_contracts.events.content import PlayerBusted, StatusChanged, content_of

from casino_gateway.domain.match import Match
from casino_gateway.domain.updates import RoomEvent
from casino_gateway.seats.seat_parts import Backlog

EVENTS_KEPT = 512
"""Newest events of a room in memory; older ones are read from the lobby."""

History = Callable[[str, int, int], Awaitable[Sequence[TableEvent]]]
"""Reads the events of a room after a sequence, up to another one, of the current epoch."""


class RoomFollower(Protocol):
    """A seat that follows the room."""

    def on_event(self, event: TableEvent) -> None: ...

    def gone(self, reason: str) -> None: ...


class RoomFeed:
    """A room's match and newest events; each new event goes to every seat once, in order."""

    def __init__(self, match: Match, history: History) -> None:
        self.match = match
        self.members: dict[str, RoomFollower] = {}
        """The gateway's seats in this room, by player id."""
        self.newest_turn = 0
        """Of all seats' questions, whose decisions may not have come as events yet."""
        self._history = history
        self._recent: deque[TableEvent] = deque(maxlen=EVENTS_KEPT)

    @classmethod
    def of(cls, snapshot: RoomSnapshot, history: History) -> "RoomFeed":
        feed = cls(Match.of(snapshot), history)
        feed._recent.extend(snapshot.events)
        return feed

    def first_missing(self, snapshot: RoomSnapshot) -> int | None:
        """Return the sequence before the snapshot's events, if the feed does not reach it."""
        oldest = snapshot.events[0] if snapshot.events else None
        if oldest is None or oldest.sequence is None or oldest.epoch != self.match.epoch:
            return None
        return oldest.sequence - 1 if oldest.sequence > self.match.sequence + 1 else None

    def catch_up(self, snapshot: RoomSnapshot) -> None:
        """Take a later snapshot: events that are new in it go to every seat."""
        for event in self.match.catch_up(snapshot):
            self._tell(event)

    def close(self, reason: str) -> None:
        self.match.close(None)
        for member in list(self.members.values()):
            member.gone(reason)

    def take(self, event: TableEvent) -> bool:
        is_new = self.match.apply(event)
        if is_new:
            self._tell(event)
        return is_new

    def forget_events(self) -> None:
        """Keep no events of a room that is not followed: seats that are over outlive it."""
        self._recent.clear()

    @property
    def decisions(self) -> int:
        """How many decisions of the match are known, as events or as questions."""
        return max(self.match.decisions, self.newest_turn)

    def backlog(self, after: int) -> tuple[list[TableEvent], Backlog | None]:
        """Return the epoch's later events in memory, and what reads older ones if needed."""
        epoch, until = self.match.epoch, self.match.sequence
        events = [event for event in self._recent if (event.epoch or epoch) == epoch]
        oldest = (events[0].sequence or 0) if events else until + 1
        if after + 1 >= oldest or after >= until:
            return [event for event in events if (event.sequence or 0) > after], None

        async def older() -> Sequence[RoomEvent]:
            return [RoomEvent(event) for event in await self.between(after, until)]

        return [], older

    async def between(self, after: int, until: int) -> Sequence[TableEvent]:
        """Return the events after a sequence up to another; raises LobbyAway."""
        return await self._history(self.match.room_id, after, until)

    def _tell(self, event: TableEvent) -> None:
        self._recent.append(event)
        for member in list(self.members.values()):
            member.on_event(event)
        gone = _gone(event)
        if gone is not None and gone[0] in self.members:
            self.members[gone[0]].gone(gone[1])


def _gone(event: TableEvent) -> tuple[str, str] | None:
    match content_of(event):
        case PlayerBusted(player_id=player_id):
            return player_id, "busted"
        case StatusChanged(kind="left", player_id=str(player_id)):
            return player_id, "left"
        case _:
            return None
