"""Publishes table events and room changes, serialised once, if there are subscribers."""

from casino_lobby.domain.lobby_events import EventsCommitted, EventsMissed, RoomChanged
from casino_lobby.streaming import frames
from casino_lobby.streaming.broadcaster import LOBBY, Broadcaster


class EventBroadcaster:
    """Passes lobby events on to the streams."""

    def __init__(self, feed: Broadcaster) -> None:
        self._feed = feed

    def publish_events(self, event: EventsCommitted) -> None:
        """Publish committed events of a room to its topic and to the lobby."""
        room_id = event.room.room_id
        if self._feed.is_followed(room_id, LOBBY):
            for row in event.committed:
                self._feed.publish(frames.table_event(row), room_id, LOBBY)

    def miss_events(self, _event: EventsMissed) -> None:
        """End every stream: its client has to begin again, because it would have a gap."""
        self._feed.lag_all()

    def publish_room(self, event: RoomChanged) -> None:
        """Publish that a room opened or closed; ends its topic unless it is open."""
        room = event.room
        if room.phase == "open":
            self._feed.publish(frames.room_opened(room), LOBBY)
        elif room.is_over:
            self._feed.publish(frames.room_closed(room), room.room_id, LOBBY)
        if room.phase != "open":
            self._feed.end(room.room_id)
