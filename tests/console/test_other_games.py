"""The console's output for games other than Hold'em, from events of real tables."""

from typing import Any

import httpx
import pytest
from casino.hand_history import hand_history
from casino.public_state import facts_of
from casino.watch.table_drawing import TableDrawing
from casino.watch.watched_table import WatchedTable
from casino_contracts import (
    HandDetail,
    HandPage,
    HandSummary,
    RoomSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    TableEvent,
)
from casino_games import game_types
from rich.cells import cell_len
from support.console_side import StreamStub, casino, drawn, sse
from support.players.recorded import completed, hand, played_any, room
from support.table.table_harness import counts

OTHERS = [
    (game_type, seats)
    for game_type in game_types()
    if game_type != "texas-holdem"
    for seats in counts(game_type)
]
NAMES = {"p0": "Ada", "p1": "Bob"}


def snapshot(events: list[dict[str, Any]], game_type: str) -> RoomSnapshot:
    """Return the room before its first hand."""
    players = [event["payload"] for event in events if event["eventType"] == "player_registered"]
    return RoomSnapshot.model_validate(room([], players, game_type))


def story(events: list[dict[str, Any]], number: int) -> str:
    """Return the history of a hand."""
    summary = next(one for one in completed(events) if one["handNumber"] == number)
    detail = HandDetail(
        room_id="main",
        hand=HandSummary.model_validate(summary),
        events=tuple(TableEvent.model_validate(one) for one in hand(events, number)),
    )
    return "\n".join(hand_history(detail))


@pytest.mark.parametrize(("game_type", "seats"), OTHERS)
async def test_the_state_keeps_the_tables_books(game_type: str, seats: int) -> None:
    """Stacks after every hand and results are the table's; every line fits."""
    events = await played_any(game_type, seats, hands=12)
    table = WatchedTable.of(snapshot(events, game_type))
    won: dict[str, float] = {}
    for event in events:
        table = table.after(TableEvent.model_validate(event))
        if event["eventType"] == "hand_completed":
            for player_id, score in event["payload"]["scores"].items():
                won[player_id] = won.get(player_id, 0) + score
            stacks = {one["playerId"]: one["stack"] for one in event["payload"]["stacks"]}
            assert {key: seat.stack for key, seat in table.seats.items()} == stacks
            assert {key: seat.won for key, seat in table.seats.items()} == won
        for width, height in ((100, 40), (44, 24), (30, 12)):
            text = drawn(TableDrawing(table), width, height)
            assert max(map(cell_len, text.splitlines())) <= width
    assert table.hands == 12
    heading, *rest = drawn(TableDrawing(table)).splitlines()
    assert " · hand 12 · idle · " in heading
    assert f" · {game_type.replace('_', ' ')} · 12 hands seen" in heading
    assert not [line for line in (heading, *rest) if "blinds" in line or "board" in line]


async def test_a_state_may_begin_in_the_middle_of_a_hand() -> None:
    events = await played_any("blackjack", 3, hands=6)
    for begin in range(len(events)):
        table = WatchedTable.of(snapshot(events, "blackjack"))
        for event in events[begin:]:
            table = table.after(TableEvent.model_validate(event))
        assert drawn(TableDrawing(table))


async def test_a_hand_of_leduc_reads_as_a_story() -> None:
    text = story(await played_any("leduc_poker", 2, hands=2), 2)
    assert "\nLeduc poker, button on seat 1\n\n  seat 0  Player 0  393\n" in text
    assert "\n  betting round 1 · pot 2 · to call 0 · Player 0 paid 1, status active" in text
    assert "\n  Player 1: bet\n    pot 4 · to call 2 · Player 1 paid 3, status active\n" in text
    assert "\n    betting round 2 · public card Qh · pot 10 · to call 0 · Player 1 paid 5" in text
    assert " · shown Player 0 Js, Player 1 Kh\n\nResult\n  Player 0 loses 13\n" in text
    assert text.endswith("Stacks\n  Player 0  380 (-13)\n  Player 1  420 (+13)")


async def test_a_spin_tells_the_pocket_and_the_bank_s_win() -> None:
    text = story(await played_any("roulette", 3, hands=3), 3)
    assert " · pocket " in text
    assert "\n  The bank " in text
    assert ": place bet " in text


@pytest.mark.parametrize(("game_type", "seats"), OTHERS)
async def test_a_watcher_sees_every_event(game_type: str, seats: int) -> None:
    events = await played_any(game_type, seats, hands=3)
    opening = RoomStreamSnapshot(cursor=1, room=snapshot(events, game_type))
    stream = [sse("snapshot", opening, 1)]
    for number, one in enumerate(map(TableEvent.model_validate, events), 2):
        streamed = StreamedEvent(cursor=number, room_id="main", event=one)
        stream.append(sse("table_event", streamed, number))
    for width in (None, 90):
        ended = await casino("watch", "main", "--hands", "3", to=StreamStub(stream), width=width)
        assert ended.exit_code == 0, ended.stderr
        assert "3 hands seen" in ended.stdout


async def test_the_list_of_hands_has_no_pots() -> None:
    events = await played_any("kuhn_poker", 2, hands=3)
    page = HandPage.model_validate({"hands": completed(events)})
    lobby = httpx.MockTransport(lambda _: httpx.Response(200, json=page.model_dump(mode="json")))
    ended = await casino("room", "hands", "main", to=lobby)
    assert ended.exit_code == 0, ended.stderr
    heading, first, *_ = ended.stdout.splitlines()
    assert heading.split() == ["hand", "epoch", "result"]
    assert first.split()[:2] == ["3", "1"]
    assert " wins " in first


def test_a_third_party_s_state_is_shortened_and_printable() -> None:
    """States are deep, long or of wrong types; no fact is longer than a line."""
    deep: Any = "Qs"
    for _ in range(500):
        deep = {"cards": [deep]}
    state = {
        "a" * 9_000: "b" * 9_000,
        "deep": deep,
        "nothing": None,
        "truth": True,
        "many": list(range(5_000)),
        "players": [{"player_id": "p0", "deep": deep, "card": "Kh"}, {"player_id": "p1"}],
        "strange": [{"player_id": []}, 7],
        "empty": {},
        "current_player": {"p0": 1},
        "big": 10**400,
    }
    facts = facts_of(state, NAMES)
    assert facts["truth"] == "yes"
    assert facts["Ada"] == "Kh"
    assert facts["strange"] == "2"
    assert all(len(label) <= 40 and len(fact) <= 80 for label, fact in facts.items())
    assert len(facts_of({str(number): number for number in range(5_000)}, NAMES)) == 12
