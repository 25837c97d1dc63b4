"""Publishes table events and room changes, serialised once, if there are subscribers."""

from collections.abc import Sequence

from casino_lobby.domain.room import Room
from casino_lobby.store import Committed
from casino_lobby.streaming import frames
from casino_lobby.streaming.broadcaster import LOBBY, Broadcaster


class EventBroadcaster:
    """Listener of the store and of room changes."""

    def __init__(self, feed: Broadcaster) -> None:
        self._feed = feed

    def committed(self, room: Room, committed: Sequence[Committed]) -> None:
        """Publish committed events of a room to its topic and to the lobby."""
        if self._feed.is_followed(room.room_id, LOBBY):
            for row in committed:
                self._feed.publish(frames.table_event(row), room.room_id, LOBBY)

    def changed(self, room: Room) -> None:
        """Publish that a room opened or closed; ends its topic unless it is open."""
        if room.phase == "open":
            self._feed.publish(frames.room_opened(room), LOBBY)
        elif room.is_over:
            self._feed.publish(frames.room_closed(room), room.room_id, LOBBY)
        if room.phase != "open":
            self._feed.end(room.room_id)
