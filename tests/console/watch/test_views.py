"""What is drawn is readable at any size, and texts of third parties are drawn as text."""

from typing import Any

import pytest
from casino.output import cards, sanitize
from casino.watch.table_drawing import TableDrawing
from casino.watch.watched_table import WatchedTable
from casino.watch.watching import LobbyState, lobby_view
from casino_contracts import (
    Card,
    LobbyStreamSnapshot,
    RoomSummary,
    StreamedEvent,
)
from rich.cells import cell_len
from support.console_side import drawn, event

from .conftest import room_of

HOSTILE = "\x1b[2J\x1b]0;owned\x07[red]Bob[/red]\u202e\u200b\r\nMALLORY \x9b31m"


def table_state(players: int = 6, name: str = "Player") -> WatchedTable:
    """Return a table in the middle of a hand."""
    seats = [
        {"playerId": f"p{number}", "seatNumber": number, "displayName": f"{name} {number}",
         "stack": 200}
        for number in range(players)
    ]  # fmt: skip
    room = room_of(seats, "green")
    posted = [{"playerId": "p0", "kind": "small-blind", "amount": 1}]
    hand = {"handNumber": 17, "buttonSeat": 1, "smallBlind": 1, "bigBlind": 2, "ante": 0}
    begun = event("hand_started", "hand 17 begins", **hand, posted=posted, players=seats)
    flop = [{"rank": "Q", "suit": "hearts"}, {"rank": "7", "suit": "spades"}]
    dealt = {"kind": "street_dealt", "bettingRound": "flop", "communityCards": flop}
    street = event("table_status", "flop", status="running", **dealt)
    return WatchedTable.of(room).after(begun).after(street)


def completed(before: WatchedTable) -> WatchedTable:
    shown = [{"rank": "A", "suit": "clubs"}, {"rank": "A", "suit": "diamonds"}]
    return before.after(
        event(
            "hand_completed",
            "hand 17: Player 0 wins 3 with Pair",
            handNumber=17,
            communityCards=[],
            pots=[{"amount": 3, "winners": []}],
            shown=[{"playerId": "p0", "cards": shown, "rankName": "Pair"}],
            stacks=[{"playerId": "p0", "stack": 202}, {"playerId": "p1", "stack": 198}],
        )
    )


def test_seats_stand_around_the_board() -> None:
    """Clockwise: the first half above, the other half below in reverse order."""
    lines = drawn(TableDrawing(table_state())).splitlines()
    (above,) = (line for line in lines if "Player 0" in line)
    (below,) = (line for line in lines if "Player 5" in line)
    assert above.index("Player 0") < above.index("Player 1 ⓓ") < above.index("Player 2")
    assert below.index("Player 5") < below.index("Player 4") < below.index("Player 3")
    assert above.index("▶ Player 2") == below.index("Player 3")
    (board,) = (number for number, line in enumerate(lines) if "Q♥ 7♠" in line)
    assert lines.index(above) < board < lines.index(below)
    assert "pot  1" in lines[board + 1]
    assert lines[0] == "green · hand 17 · flop · blinds 1/2 · 0 hands seen"


@pytest.mark.parametrize("lines", [40, 12])
def test_a_dead_button_is_at_an_empty_seat(lines: int) -> None:
    """Whether the seats stand around the board or in a list."""
    table = table_state()
    hand = {"handNumber": 18, "buttonSeat": 7, "posted": [], "players": []}
    text = drawn(
        TableDrawing(table.after(event("hand_started", "hand 18 begins", **hand))), height=lines
    )
    assert "pot  0   ⓓ seat 7, empty" in text
    assert text.count("ⓓ") == 1


def test_a_finished_hand_shows_cards_and_results() -> None:
    """The drawing has the shown cards and the winners' chips."""
    text = drawn(TableDrawing(completed(table_state())))
    assert "+2   A♣ A♦" in text
    assert "-2" in text
    assert "Player 0 wins 3 with Pair" in text


@pytest.mark.parametrize(("width", "height"), [(44, 24), (60, 40), (100, 12), (80, 24), (20, 10)])
@pytest.mark.parametrize("players", [0, 2, 6, 10])
def test_it_fits(width: int, height: int, players: int) -> None:
    """Every line fits the width, and all seats the height where it is enough."""
    text = drawn(TableDrawing(completed(table_state(players)), "a note"), width, height)
    assert max(map(cell_len, text.splitlines())) <= width
    if width >= 44 and height > players + 7:
        assert len(text.splitlines()) <= height
        assert all(f"{number}" in text for number in range(players))
    assert "a note" in text


@pytest.mark.parametrize("width", [60, 120])
def test_a_seat_shows_its_number_of_faults(width: int) -> None:
    table = table_state(3)
    assert "fault" not in "".join(drawn(TableDrawing(table), width, 30))
    late = event("action_taken", playerId="p1", action="fold", outcome="timeout")
    text = "".join(drawn(TableDrawing(table.after(late).after(late)), width, 30))
    assert "2 faults" in text


@pytest.mark.parametrize("width", [60, 120])
def test_a_seat_shows_its_model_and_what_it_costs(width: int) -> None:
    seats = [{"playerId": "p0", "seatNumber": 0, "displayName": "Ada", "stack": 200}]
    seats = [{**seats[0], "profile": {"model": "small[red]\x1b"}}]
    usage = {"costUsd": 0.02}
    disclosed = [{"decision": 1, "playerId": "p0", "usage": usage}]
    stacks = [{"playerId": "p0", "stack": 200}]
    table = WatchedTable.of(room_of(seats, "green"))
    table = table.after(event("hand_started", handNumber=1, players=seats))
    end = event("hand_completed", handNumber=1, stacks=stacks, disclosed=disclosed)
    text = drawn(TableDrawing(table.after(end)), width, 30)
    assert "small[red] · $2/100" in text


def test_a_narrow_terminal_gets_a_line_per_seat() -> None:
    lines = drawn(TableDrawing(table_state(name="A very long name of a player")), 50).splitlines()
    seats = [line for line in lines if line.startswith(tuple("012345"))]
    assert len(seats) == 6
    assert all(("199" if line[0] == "0" else "200") in line for line in seats)


@pytest.mark.parametrize("width", [50, 100])
def test_a_hostile_name_is_only_read(width: int) -> None:
    """Escape sequences, markup, line breaks and bidirectional marks have no effect."""
    table = table_state(name=HOSTILE)
    honest = drawn(TableDrawing(table_state()), width)
    table = table.after(event("table_error", HOSTILE))
    text = drawn(TableDrawing(table, HOSTILE), width)
    assert not {one for one in text if not one.isprintable()} - {"\n"}
    assert "[red]Bob[/red]" in text
    assert len(text.splitlines()) == len(honest.splitlines()) + 2


def test_what_can_be_read_is_kept() -> None:
    assert sanitize("Zoë  東京 🂡") == "Zoë  東京 🂡"
    assert sanitize("a\tb\u2066c\x7f") == "a b c "
    assert cards(map(Card.from_text, ("As", "Th", "2c"))).plain == "A♠ T♥ 2♣"


class TestAllRooms:
    @staticmethod
    def room(room_id: str, **more: object) -> RoomSummary:
        given = {
            "roomId": room_id,
            "tableId": room_id,
            "gameType": "texas-holdem",
            "tableAgentCardUrl": "http://table",
            "status": "waiting",
            "handCount": 7,
            "playerCount": 2,
            "message": "it waits",
        }
        return RoomSummary.model_validate({**given, **more})

    def lobby(self, *rooms: RoomSummary) -> LobbyState:
        return LobbyState.of(LobbyStreamSnapshot(cursor=1, rooms=rooms))

    @pytest.mark.parametrize(
        ("kind", "payload", "field", "value"),
        [
            ("hand_started", {"handNumber": 8}, "status", "running"),
            ("hand_completed", {"handNumber": 8}, "hand_count", 8),
            ("player_registered", {"playerId": "p3"}, "player_count", 3),
            ("player_busted", {"playerId": "p3"}, "player_count", 1),
            ("table_status", {"kind": "left"}, "player_count", 1),
            ("table_status", {"kind": "paused", "status": "running"}, "state", "paused"),
            ("table_status", {"kind": "finished", "status": "idle"}, "status", "idle"),
            ("table_status", {"kind": 7, "status": "dancing"}, "status", "waiting"),
        ],
    )
    def test_events_move_their_room(
        self, kind: str, payload: dict[str, Any], field: str, value: object
    ) -> None:
        one = StreamedEvent(cursor=2, room_id="r1", event=event(kind, "the news", **payload))
        room = self.lobby(self.room("r1")).after(one).rooms["r1"]
        assert (getattr(room, field), room.message) == (value, "the news")

    def test_rooms_come_and_go(self) -> None:
        """A closed room stays listed as closed; events of an unknown room are ignored."""
        lobby = self.lobby(self.room("r2")).with_room(self.room("r1", state="closed"))
        assert [room.room_id for room in lobby.in_order] == ["r1", "r2"]
        unknown = StreamedEvent(cursor=2, room_id="r9", event=event("hand_completed", handNumber=8))
        assert lobby.after(unknown).hands_seen == 1
        assert set(lobby.after(unknown).rooms) == {"r1", "r2"}

    def test_a_snapshot_keeps_the_count_of_hands(self) -> None:
        one = StreamedEvent(cursor=2, room_id="r1", event=event("hand_completed", handNumber=8))
        known = self.lobby(self.room("r1")).after(one)
        anew = LobbyState.of(LobbyStreamSnapshot(cursor=9, rooms=()), known)
        assert (anew.hands_seen, anew.rooms) == (1, {})

    @pytest.mark.parametrize("width", [30, 60, 120])
    def test_it_is_drawn(self, width: int) -> None:
        lobby = self.lobby(self.room("r1"), self.room("r2", message=HOSTILE))
        text = drawn(lobby_view(lobby, "a note"), width)
        lines = text.splitlines()
        assert len(lines) == 5
        assert lines[0] == "2 rooms · 0 hands seen"
        assert max(map(cell_len, lines)) <= width
        assert not {one for one in text if not one.isprintable()} - {"\n"}
        if width >= 60:
            assert "it waits" in lines[2]
