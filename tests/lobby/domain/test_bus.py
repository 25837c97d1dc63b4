"""Events reach their handlers, in order, and a failing handler disturbs nobody."""

from casino_lobby.domain.lobby_events import EventsRepeated, LobbyEvent, MessageBus, TableLost
from structlog.testing import capture_logs


def test_handlers_are_called_in_order_of_subscription() -> None:
    bus, calls = MessageBus(), list[tuple[str, int]]()
    bus.subscribe(EventsRepeated, lambda event: calls.append(("first", event.count)))
    bus.subscribe(EventsRepeated, lambda event: calls.append(("second", event.count)))
    bus.publish(EventsRepeated(3))
    bus.publish(EventsRepeated(4))
    assert calls == [("first", 3), ("second", 3), ("first", 4), ("second", 4)]


def test_a_handler_that_raises_is_logged_and_disturbs_nobody() -> None:
    bus, received = MessageBus(), list[LobbyEvent]()

    def raise_error(_event: TableLost) -> None:
        raise ZeroDivisionError

    bus.subscribe(TableLost, raise_error)
    bus.subscribe(TableLost, received.append)
    with capture_logs() as logs:
        bus.publish(TableLost("r1"))
    assert received == [TableLost("r1")]
    assert [(log["log_level"], log["event"], log["event_type"]) for log in logs] == [
        ("error", "event_handler_failed", "TableLost")
    ]
