"""Puts what happens into the feed: each fact serialised once, and only if anybody follows it."""

from collections.abc import Sequence

from casino_lobby.domain.room import Room
from casino_lobby.store import Committed
from casino_lobby.streaming import frames
from casino_lobby.streaming.broadcaster import LOBBY, Broadcaster


class EventBroadcaster:
    """Listens to the store, and is told of rooms that open and end."""

    def __init__(self, feed: Broadcaster) -> None:
        self._feed = feed

    def committed(self, room: Room, committed: Sequence[Committed]) -> None:
        """Tell the followers of a room, and of the lobby, what its table told."""
        if self._feed.is_followed(room.room_id, LOBBY):
            for one in committed:
                self._feed.publish(frames.table_event(one), room.room_id, LOBBY)

    def changed(self, room: Room) -> None:
        """Tell that a room has opened, or that it plays no more; then its own stream is over."""
        if room.phase == "open":
            self._feed.publish(frames.room_opened(room), LOBBY)
        elif room.is_over:
            self._feed.publish(frames.room_closed(room), room.room_id, LOBBY)
        if room.phase != "open":
            self._feed.end(room.room_id)
