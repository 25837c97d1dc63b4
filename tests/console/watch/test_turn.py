"""Who is to act, in which street, and for which pots, as `casino watch` shows it."""

import pytest
from casino.output import Output
from casino.watch.table_drawing import TableDrawing
from casino.watch.watched_table import WatchedTable
from casino.watch.watching import TableRenderer
from casino_contracts import RoomStreamSnapshot, RoomSummary, StreamedEvent, TableEvent
from casino_contracts.events.table_view import Stake, side_pots
from casino_lobby_client.lobby_stream import ServerSentEvent
from rich.console import Console
from support.console_side import drawn, event
from support.table.table_side import config

from .conftest import NAMES, acts, room_of, seats

BOARD = [{"rank": rank, "suit": "hearts"} for rank in "QJT98"]
HUNDRED = (100, 100, 100)


def dealt(number: int, small: str, big: str) -> TableEvent:
    """Return the start of a hand; seat 0 deals."""
    posted = [
        {"playerId": small, "kind": "small-blind", "amount": 1},
        {"playerId": big, "kind": "big-blind", "amount": 2},
    ]
    players = seats(*HUNDRED[:number])
    return event(
        "hand_started", "begins", handNumber=17, buttonSeat=0, posted=posted, players=players
    )


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
    """Clockwise from the blinds before the flop, from the button after it; nobody before a hand."""
    table = WatchedTable.of(room_of(seats(*HUNDRED[:number])))
    assert (table.street, table.to_act) == ("", None)
    small, big = NAMES[1:] if number == 3 else NAMES[:2]
    for one in [dealt(number, small, big), *events]:
        table = table.after(one)
    assert table.street == round_
    assert (table.to_act.name if table.to_act else None) == actor


@pytest.mark.parametrize("width", [40, 100])
def test_the_picture_shows_street_actor_and_clock(width: int) -> None:
    """The hand's number comes first, so that a narrow terminal has it."""
    time = 100.0
    console = Console(width=width, height=30, force_terminal=True, color_system=None)
    renderer = TableRenderer(Output(console), lambda: time)
    sent = ServerSentEvent("table_event", "{}", "1")
    renderer.on_event(sent, RoomStreamSnapshot(cursor=1, room=room_of(seats(*HUNDRED), "green")))
    started = StreamedEvent(cursor=2, room_id="green", event=dealt(3, "Bob", "Cleo"))
    renderer.on_event(sent, started)
    time = 103.4
    with console.capture() as captured:
        console.print(renderer.drawing())
    lines = captured.get().splitlines()
    assert lines[0].startswith("green · hand 17 · preflop · ")
    seconds = config().action_timeout_ms / 1000
    assert any(line.strip() == f"Ada to act, 3 s of {seconds:g} s" for line in lines)
    assert sum("▶" in line for line in lines) == 1


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


def with_an_all_in() -> WatchedTable:
    """Return a table at which Ada is all-in, Bob has raised, and Cleo has called nothing yet."""
    players = seats(30, 100, 100)
    return (
        WatchedTable.of(room_of(players, "a-room-with-a-name-that-is-long"))
        .after(event("hand_started", handNumber=1234, buttonSeat=2, players=players))
        .after(acts("Ada", "raise", 30, 0, pot=30))
        .after(acts("Bob", "raise", 80, 20, pot=110))
    )


def test_a_side_pot_is_shown_while_the_hand_runs() -> None:
    """Until its result is there, and only where the parts are the whole."""
    table = with_an_all_in()
    assert list(table.pots) == [60, 50]
    assert "pot  110   main 60, side 50" in drawn(TableDrawing(table))
    assert table.after(acts("Cleo", "raise", 80, 20, pot=200)).pots == ()
    over = table.after(event("hand_completed", handNumber=1234, stacks=seats(*HUNDRED), pots=[]))
    assert over.pots == ()
    assert "side" not in drawn(TableDrawing(over))


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
    first, *_ = drawn(TableDrawing(with_an_all_in()), width, 30).splitlines()
    assert first.rstrip() == heading


def test_who_left_is_listed_at_the_end() -> None:
    left = with_an_all_in()
    for name in NAMES:
        left = left.after(event("table_status", kind="left", status="idle", playerId=name))
    closed = left.closed(
        RoomSummary(
            room_id=left.room_id,
            table_id="t",
            game_type="texas_holdem",
            status="idle",
            state="closed",
            hand_count=1,
            player_count=0,
            table_agent_card_url="http://table",
        )
    )
    assert closed.in_order == []
    assert [seat.name for seat in closed.everybody] == [f"{name} (left)" for name in NAMES]
