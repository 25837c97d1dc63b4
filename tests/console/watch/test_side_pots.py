"""Main and side pots of a running hand, as `casino watch` shows them."""

from typing import Any

import pytest
from casino.watch.side_pots import Stake, side_pots
from casino.watch.table_state import TableState
from casino.watch.table_view import TableView
from casino_contracts import RoomSnapshot, RoomSummary, TableEvent, TableSummary
from support.console_side import drawn, event
from support.table.table_side import config

STACKS = {"Ada": 30, "Bob": 100, "Cleo": 100}


@pytest.mark.parametrize(
    ("stakes", "pots"),
    [
        ([], ()),
        ([Stake(2), Stake(2)], (4,)),
        ([Stake(30, is_all_in=True), Stake(30)], (60,)),
        ([Stake(30, is_all_in=True), Stake(80), Stake(80)], (90, 100)),
        ([Stake(30, is_all_in=True), Stake(80), Stake(2)], (62, 50)),
        ([Stake(30, is_folded=True, is_all_in=True), Stake(80), Stake(80)], (190,)),
        ([Stake(0.1, is_all_in=True), Stake(0.3, is_all_in=True), Stake(0.7)], (0.3, 0.4, 0.4)),
    ],
)
def test_the_pots_add_up_to_all_stakes(stakes: list[Stake], pots: tuple[float, ...]) -> None:
    """The part that nobody has called yet is in the last one."""
    assert side_pots(stakes) == pots
    assert sum(pots) == pytest.approx(sum(stake.chips for stake in stakes))


def table() -> TableState:
    """Return a table at which Ada is all-in, Bob has raised, and Cleo has called nothing yet."""
    seats: list[dict[str, Any]] = [
        {"playerId": name, "displayName": name, "seatNumber": number, "stack": stack}
        for number, (name, stack) in enumerate(STACKS.items())
    ]
    summary = {"tableId": "t", "status": "running", "handCount": 0, "players": seats}
    room = RoomSnapshot(
        room_id="a-room-with-a-name-that-is-long",
        config=config(),
        summary=TableSummary.model_validate(summary),
        table_agent_card_url="http://table",
        events=(),
    )
    return (
        TableState.of(room)
        .after(event("hand_started", handNumber=1234, buttonSeat=2, players=seats))
        .after(acts("Ada", 30, 0, 30))
        .after(acts("Bob", 80, 20, 110))
    )


def acts(name: str, amount: int, stack: int, pot: int) -> TableEvent:
    """Return a raise."""
    more = {"amount": amount, "stack": stack, "pot": pot, "outcome": "ok"}
    return event("action_taken", name, playerId=name, action="raise", **more)


def test_a_side_pot_is_shown_while_the_hand_runs() -> None:
    """Until its result is there, and only where the parts are the whole."""
    assert table().pots == (60, 50)
    assert "pot  110   main 60, side 50" in drawn(TableView(table()))
    wrong = table().after(acts("Cleo", 80, 20, 200))
    assert wrong.pots == ()
    stacks = [{"playerId": name, "stack": 100} for name in STACKS]
    over = table().after(event("hand_completed", handNumber=1234, stacks=stacks, pots=[]))
    assert over.pots == ()
    assert "side" not in drawn(TableView(over))


@pytest.mark.parametrize(
    ("width", "heading"),
    [
        (40, "a-room-with-a-nam… · hand 1234 · preflop"),
        (60, "a-room-with-a-name-that-… · hand 1234 · preflop · blinds 1/2"),
        (24, "a… · hand 1234 · preflop"),
        (99, "a-room-with-a-name-that-is-long · hand 1234 · preflop · blinds 1/2 · 0 hands seen"),
    ],
)
def test_a_narrow_terminal_has_the_number_of_the_hand(width: int, heading: str) -> None:
    """The room's id is cut for it, and what comes behind it is left out."""
    first, *_ = drawn(TableView(table()), width, 30).splitlines()
    assert first.rstrip() == heading


def test_who_left_is_listed_at_the_end() -> None:
    """As in a closed room, whose seats are empty."""
    left = table()
    for name in STACKS:
        left = left.after(event("table_status", kind="left", status="idle", playerId=name))
    closed = left.closed(
        RoomSummary.model_validate(
            {
                "roomId": left.room_id,
                "tableId": "t",
                "gameType": "texas_holdem",
                "status": "idle",
                "state": "closed",
                "handCount": 1,
                "playerCount": 0,
                "tableAgentCardUrl": "http://table",
            }
        )
    )
    assert closed.in_order == []
    assert [seat.name for seat in closed.everybody] == [f"{name} (left)" for name in STACKS]
