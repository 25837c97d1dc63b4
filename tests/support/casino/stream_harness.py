"""A store with its feed and those who read it, without HTTP."""

from collections.abc import Sequence

from casino_lobby.domain.room import Room
from casino_lobby.service.hand_records import HandRecordCache
from casino_lobby.store import Store
from casino_lobby.streaming.broadcaster import Broadcaster, Item, Pages
from casino_lobby.streaming.delayed import HandDelay
from casino_lobby.streaming.publisher import EventBroadcaster
from casino_lobby.streaming.reader import StreamReader

from support.casino.streams import Told, told_in


class StreamHarness:
    """Everything between a commit and the bytes that a client gets."""

    def __init__(self, store: Store, behind: int = 1_000) -> None:
        self.store = store
        self.feed = Broadcaster(behind)
        self.event_broadcaster = EventBroadcaster(self.feed)
        store.listen(self.event_broadcaster.committed)

    def reader(self, room: Room | None, after: int | None = None) -> Pages:
        """Follow as the public does."""
        return StreamReader(self.store, self.feed, room, after).pages()

    def commentator(self, room: Room, records: HandRecordCache, after: int | None = None) -> Pages:
        """Follow as a commentator does."""
        pages = StreamReader(self.store, self.feed, room, after, late=True).pages()
        return HandDelay(room, records).late(pages)


def told(page: Sequence[Item]) -> list[Told]:
    """Return what a page tells."""
    return told_in(b"".join(item.data for item in page).decode())


async def read_to_end(pages: Pages) -> list[Told]:
    """Read a stream that ends."""
    return [one async for page in pages for one in told(page)]
