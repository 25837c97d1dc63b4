"""The composition root connects the parts of the lobby."""

from collections.abc import Callable

from casino_agentkit import InProcessTransport
from casino_lobby.app import build_app
from casino_lobby.domain.bus import EventT, MessageBus
from casino_lobby.domain.events import LobbyEvent
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore


class RecordingBus(MessageBus):
    """Records the types of events that have handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.handled: set[str] = set()

    def subscribe(self, event_type: type[EventT], handler: Callable[[EventT], None]) -> None:
        self.handled.add(event_type.__name__)
        super().subscribe(event_type, handler)


def test_every_lobby_event_has_a_handler() -> None:
    """An event that nobody handles would be published in vain."""
    store = MemoryStore(10)
    store.bus = bus = RecordingBus()
    settings = LobbySettings(launch_tables=False, database="memory")
    build_app(settings, "http://lobby", transport=InProcessTransport(), store=store)
    assert bus.handled == {event_type.__name__ for event_type in LobbyEvent.__subclasses__()}
