"""A store with its broadcaster and stream readers, without HTTP."""

from collections.abc import Sequence

from casino_lobby.domain.events import EventsCommitted, EventsMissed, RoomChanged
from casino_lobby.domain.room import Room
from casino_lobby.service.hand_records import HandRecordCache
from casino_lobby.store import Store
from casino_lobby.streaming.broadcaster import Broadcaster, Item, Pages
from casino_lobby.streaming.delayed import HandDelay
from casino_lobby.streaming.publisher import EventBroadcaster
from casino_lobby.streaming.reader import StreamReader

from support.casino.streams import StreamEvent, stream_events


class StreamHarness:
    """Everything between a commit and the bytes of a stream."""

    def __init__(self, store: Store, behind: int = 1_000) -> None:
        self.store = store
        self.feed = Broadcaster(behind)
        event_broadcaster = EventBroadcaster(self.feed)
        store.bus.subscribe(EventsCommitted, event_broadcaster.publish_events)
        store.bus.subscribe(RoomChanged, event_broadcaster.publish_room)
        store.bus.subscribe(EventsMissed, event_broadcaster.miss_events)

    def reader(self, room: Room | None, after: int | None = None) -> Pages:
        """Follow the public feed."""
        return StreamReader(self.store, self.feed, room, after).pages()

    def commentator(self, room: Room, records: HandRecordCache, after: int | None = None) -> Pages:
        pages = StreamReader(self.store, self.feed, room, after, late=True).pages()
        return HandDelay(room, records).late(pages)


def events_in(page: Sequence[Item]) -> list[StreamEvent]:
    return stream_events(b"".join(item.data for item in page).decode())


async def read_to_end(pages: Pages) -> list[StreamEvent]:
    return [one async for page in pages for one in events_in(page)]
