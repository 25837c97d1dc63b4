"""Message bus within the lobby's process: passes each event to the handlers of its type."""

from collections.abc import Callable
from typing import Any, TypeVar

import structlog

from casino_lobby.domain.events import LobbyEvent

EventT = TypeVar("EventT", bound=LobbyEvent)

logger = structlog.get_logger(__name__)


class MessageBus:
    """Handlers by the type of event; `app.build_app` subscribes all of them.

    Commands are refused by exceptions, events are not: what an event reports has happened, so a
    handler that raises is logged, and the publisher and the other handlers go on.
    """

    def __init__(self) -> None:
        self._handlers: dict[type[LobbyEvent], list[Callable[[Any], None]]] = {}

    def subscribe(self, event_type: type[EventT], handler: Callable[[EventT], None]) -> None:
        """Call `handler` with every event of exactly this type. It must not block."""
        self._handlers.setdefault(event_type, []).append(handler)

    def publish(self, event: LobbyEvent) -> None:
        """Call the handlers of the event's type, in order of subscription, before returning."""
        for handler in self._handlers.get(type(event), ()):
            try:
                handler(event)
            except Exception:
                logger.exception("event_handler_failed", event_type=type(event).__name__)
