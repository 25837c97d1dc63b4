"""Who is to act, and in which street, as `casino watch` shows it."""

from typing import Any

import pytest
from casino.output import Output
from casino.sse import ServerSentEvent
from casino.watch.renderers import TableRenderer
from casino.watch.table_state import TableState
from casino.watch.table_view import TableView
from casino_contracts import (
    RoomSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    TableEvent,
    TableSummary,
)
from rich.console import Console
from support.console_side import event
from support.table.table_side import config

NAMES = ("Ada", "Bob", "Cleo")
BOARD = [{"rank": rank, "suit": "hearts"} for rank in "QJT98"]


def seats(number: int) -> list[dict[str, Any]]:
    """Return players with 100 chips each."""
    return [
        {"playerId": name, "displayName": name, "seatNumber": seat, "stack": 100}
        for seat, name in enumerate(NAMES[:number])
    ]


def room(number: int) -> RoomSnapshot:
    """Return a room that is about to deal."""
    summary = {"tableId": "t", "status": "running", "handCount": 16, "players": seats(number)}
    return RoomSnapshot(
        room_id="green",
        config=config(),
        summary=TableSummary.model_validate(summary),
        table_agent_card_url="http://table",
        events=(),
    )


def dealt(number: int, small: str, big: str) -> TableEvent:
    """Return the start of a hand; seat 0 deals."""
    posted = [
        {"playerId": small, "kind": "small-blind", "amount": 1},
        {"playerId": big, "kind": "big-blind", "amount": 2},
    ]
    return event(
        "hand_started", "begins", handNumber=17, buttonSeat=0, posted=posted, players=seats(number)
    )


def acts(name: str, action: str, amount: int, stack: int) -> TableEvent:
    """Return a decision."""
    more = {"action": action, "amount": amount, "stack": stack, "outcome": "ok"}
    return event("action_taken", f"{name} {action}", playerId=name, **more)


def street(cards: int) -> TableEvent:
    payload = {"kind": "street_dealt", "communityCards": BOARD[:cards]}
    return event("table_status", "street", status="running", **payload)


@pytest.mark.parametrize(
    ("number", "events", "round_", "actor"),
    [
        (3, [], "preflop", "Ada"),
        (3, [acts("Ada", "call", 2, 98)], "preflop", "Bob"),
        (3, [acts("Ada", "call", 2, 98), acts("Bob", "call", 2, 98)], "preflop", "Cleo"),
        (3, [acts("Ada", "fold", 0, 100), acts("Bob", "raise", 6, 94)], "preflop", "Cleo"),
        (3, [street(3)], "flop", "Bob"),
        (3, [street(3), acts("Bob", "check", 0, 98)], "flop", "Cleo"),
        (3, [street(4)], "turn", "Bob"),
        (3, [street(5)], "river", "Bob"),
        (3, [acts("Ada", "fold", 0, 100), acts("Bob", "fold", 0, 99)], "preflop", None),
        (2, [], "preflop", "Ada"),
        (2, [street(3)], "flop", "Bob"),
        (2, [acts("Ada", "all-in", 100, 0)], "preflop", "Bob"),
        (2, [acts("Ada", "all-in", 100, 0), acts("Bob", "all-in", 100, 0)], "preflop", None),
    ],
)
def test_who_is_to_act(
    number: int, events: list[TableEvent], round_: str, actor: str | None
) -> None:
    """Clockwise from the blinds before the flop, from the button after it."""
    small, big = NAMES[1:] if number == 3 else NAMES[:2]
    table = TableState.of(room(number))
    for one in [dealt(number, small, big), *events]:
        table = table.after(one)
    assert table.street == round_
    assert (table.to_act.name if table.to_act else None) == actor


def test_nobody_is_to_act_between_hands() -> None:
    """There is no street either."""
    table = TableState.of(room(2))
    assert (table.street, table.to_act) == ("", None)


@pytest.mark.parametrize("width", [40, 100])
def test_the_picture_shows_street_actor_and_clock(width: int) -> None:
    """The hand's number comes first, so that a narrow terminal has it."""
    time = 100.0
    console = Console(width=width, height=30, force_terminal=True, color_system=None)
    renderer = TableRenderer(Output(console), lambda: time)
    sent = ServerSentEvent("table_event", "{}", "1")
    first = RoomStreamSnapshot(cursor=1, room=room(3))
    renderer.on_event(sent, first)
    started = StreamedEvent(cursor=2, room_id="green", event=dealt(3, "Bob", "Cleo"))
    renderer.on_event(sent, started)
    time = 103.4
    view = renderer.drawing()
    assert isinstance(view, TableView)
    with console.capture() as captured:
        console.print(view)
    lines = captured.get().splitlines()
    assert lines[0].startswith("green · hand 17 · preflop · ")
    seconds = config().action_timeout_ms / 1000
    assert any(line.strip() == f"Ada to act, 3 s of {seconds:g} s" for line in lines)
    assert sum("▶" in line for line in lines) == 1
