"""`casino watch`: three renderers of the same stream."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import httpx
import pytest
from casino.output import Output
from casino.watch.watching import LobbyRenderer, TableRenderer
from casino_contracts import (
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    RoomSummary,
    StreamedEvent,
    StreamedRoom,
    TableEvent,
    WireModel,
)
from casino_lobby_client.lobby_stream import Interruption, ServerSentEvent
from rich.console import Console
from support.console_side import Ended, StreamStub, casino, drawn, event, sse

from .conftest import room_of

PLAYERS = [
    {"playerId": "p1", "displayName": "Ada", "seatNumber": 0, "stack": 200},
    {"playerId": "p2", "displayName": "[b]Bob\x1b[2J", "seatNumber": 1, "stack": 200},
]


def summary(state: str | None = None, room_id: str = "r1") -> RoomSummary:
    return RoomSummary(
        room_id=room_id,
        table_id="t1",
        game_type="texas-holdem",
        table_agent_card_url="http://table",
        status="idle",
        hand_count=3,
        player_count=2,
        state=state,
    )


def opening(cursor: int = 4, *events: TableEvent) -> bytes:
    room = room_of(PLAYERS, "r1", *events)
    return sse("snapshot", RoomStreamSnapshot(cursor=cursor, room=room), cursor)


def streamed(cursor: int, one: TableEvent, room_id: str = "r1") -> bytes:
    return sse("table_event", StreamedEvent(cursor=cursor, room_id=room_id, event=one), cursor)


def hand(number: int) -> list[TableEvent]:
    """Return a short hand that Ada wins."""
    posted = [{"playerId": "p2", "kind": "big-blind", "amount": 2}]
    started = {"handNumber": number, "buttonSeat": 0, "posted": posted, "players": PLAYERS}
    stacks = [{"playerId": "p1", "stack": 202}, {"playerId": "p2", "stack": 198}]
    completed = {"handNumber": number, "pots": [{"amount": 2, "winners": []}], "stacks": stacks}
    return [
        event("hand_started", f"hand {number} begins", **started),
        event("hand_completed", f"hand {number}: Ada wins 2", **completed),
    ]


CLOSED = sse("room_closed", StreamedRoom(room=summary("closed")))
STREAM = [opening(), *(streamed(5 + n, one) for n, one in enumerate(hand(1))), CLOSED]


async def watched(*arguments: str, pieces: Any = STREAM, width: int | None = None) -> Ended:
    """Watch one connection's worth of a stream, cut into small pieces."""
    stream = b"".join(pieces)
    cut = [stream[start : start + 100] for start in range(0, len(stream), 100)]
    return await casino("watch", *arguments, to=StreamStub(cut), width=width)


class TestAsJson:
    async def test_every_event_is_a_line(self) -> None:
        """It has the name, id and data as received, in ASCII."""
        ended = await watched("r1", "--json")
        assert ended.exit_code == 0, ended.stderr
        assert ended.stdout.isascii()
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        assert [(line["event"], line["id"]) for line in lines] == [
            ("snapshot", "4"),
            ("table_event", "5"),
            ("table_event", "6"),
            ("room_closed", "6"),
        ]
        assert lines[2]["data"]["event"]["message"] == "hand 1: Ada wins 2"
        assert lines[0]["data"]["room"]["summary"]["players"] == [
            {**player, "displayName": str(player["displayName"]).replace("\x1b", "")}
            for player in PLAYERS
        ]

    async def test_what_is_unknown_is_passed_on(self) -> None:
        pieces = [opening(), sse("weather", "sunny"), sse("news", '{"a":1}', 9), CLOSED]
        ended = await watched("r1", "--json", pieces=pieces)
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        assert lines[1] == {"event": "weather", "id": "4", "data": "sunny"}
        assert lines[2] == {"event": "news", "id": "9", "data": {"a": 1}}

    async def test_an_interruption_is_a_line_too(self) -> None:
        stub = StreamStub([opening(), streamed(5, hand(1)[0])], [streamed(6, hand(1)[1]), CLOSED])
        ended = await casino("watch", "r1", "--json", to=stub)
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        assert [line["event"] for line in lines] == [
            "snapshot", "table_event", "note", "table_event", "room_closed",
        ]  # fmt: skip
        assert lines[2]["text"] == "the stream ended; again in 0.5 s"
        assert stub.asked[1].headers["last-event-id"] == "5"


class TestInLines:
    async def test_a_line_per_event_and_the_results_at_the_end(self) -> None:
        ended = await watched("r1")
        assert ended.exit_code == 0
        assert "\x1b" not in ended.stdout
        lines = [line.rstrip() for line in ended.stdout.splitlines()]
        assert lines[:5] == [
            "r1  playing, 2 players",
            "r1  hand 1 begins",
            "r1  hand 1: Ada wins 2",
            "r1  closed, 3 hands, 2 players",
            "1 hand seen",
        ]
        assert lines[6].split() == ["Ada", "202", "+2"]
        assert lines[7].split() == ["[b]Bob[2J", "198", "-2"]

    async def test_all_rooms(self) -> None:
        """Until so many hands were played in all of them."""
        snapshot = LobbyStreamSnapshot(cursor=4, rooms=(summary(),))
        pieces = [
            sse("snapshot", snapshot, 4),
            sse("room_opened", StreamedRoom(room=summary("opening", "r2"))),
            *(streamed(5 + n, one, "r2") for n, one in enumerate(hand(1) + hand(2) + hand(3))),
        ]
        ended = await watched("--hands", "2", pieces=pieces)
        assert ended.exit_code == 0, ended.stderr
        assert ended.stdout.splitlines() == [
            "r1  idle, 3 hands, 2 players",
            "r2  opening, 3 hands, 2 players",
            "r2  hand 1 begins",
            "r2  hand 1: Ada wins 2",
            "r2  hand 2 begins",
            "r2  hand 2: Ada wins 2",
        ]


class TestDrawn:
    """Output drawn on a terminal."""

    @pytest.mark.parametrize("width", [40, 100])
    async def test_the_last_picture_stays(self, width: int) -> None:
        """It shows the results and that the room is closed."""
        ended = await watched("r1", width=width)
        assert ended.exit_code == 0, ended.stderr
        assert "r1 · hand 1 · closed" in ended.stdout
        assert "Ada wins 2" in ended.stdout
        assert "\x1b[2J" not in ended.stdout

    async def test_all_rooms(self) -> None:
        snapshot = LobbyStreamSnapshot(cursor=4, rooms=(summary(), summary(room_id="r2")))
        pieces = [
            sse("snapshot", snapshot, 4),
            sse("room_closed", StreamedRoom(room=summary("closed"))),
            *(streamed(5 + n, one, "r2") for n, one in enumerate(hand(1))),
        ]
        ended = await watched("--hands", "1", pieces=pieces, width=80)
        assert "2 rooms · 1 hand seen" in ended.stdout
        assert "hand 1: Ada wins 2" in ended.stdout

    @pytest.mark.parametrize(
        ("kind", "first"),
        [
            (TableRenderer, RoomStreamSnapshot(cursor=1, room=room_of(PLAYERS))),
            (LobbyRenderer, LobbyStreamSnapshot(cursor=1, rooms=())),
        ],
    )
    async def test_an_interruption_stands_below_the_picture_until_it_is_over(
        self, kind: type[TableRenderer] | type[LobbyRenderer], first: WireModel
    ) -> None:
        renderer = kind(Output(Console(file=StringIO(), force_terminal=True, width=100)))
        assert "waiting for the lobby" in drawn(renderer.drawing())
        sent = ServerSentEvent("snapshot", "{}", "1")
        renderer.on_event(sent, first)
        picture = drawn(renderer.drawing()).splitlines()
        renderer.on_interruption(Interruption("the stream ended", timedelta(seconds=0.5)))
        *above, note = drawn(renderer.drawing()).splitlines()
        assert (above[0], note.strip()) == (picture[0], "the stream ended; again in 0.5 s")
        renderer.on_event(sent, first)
        assert "the stream ended" not in drawn(renderer.drawing())


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (httpx.ConnectError("refused"), "the lobby at http://lobby does not answer: refused"),
        (httpx.Response(404, json={"title": "No room", "detail": "r1"}), "r1"),
        ([sse("snapshot", '{"cursor": 1}', 1)], "the stream's snapshot cannot be read: room:"),
        ([sse("snapshot", "garbage", 1)], "the stream's snapshot cannot be read"),
    ],
)
async def test_a_stream_that_cannot_be_watched_is_reported(reply: Any, message: str) -> None:
    """The message is one line, and the exit code is 1."""
    ended = await casino("watch", "r1", to=StreamStub(reply))
    assert ended.exit_code == 1
    assert f"casino watch: {message}" in ended.stderr
