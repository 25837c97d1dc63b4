"""Streams of a lobby: a parser by the standard, and followed without a gap, whatever breaks."""

import asyncio
import doctest
from collections.abc import Awaitable, Iterable
from itertools import pairwise
from typing import Any

import casino.output
import casino_lobby_client.lobby_stream
import httpx
import pytest
from casino.lobby_api import LobbyApi
from casino_agentkit.process.background_tasks import Backoff
from casino_contracts import (
    Lagged,
    LobbyStreamSnapshot,
    RoomStreamSnapshot,
    StreamedEvent,
    StreamedRoom,
)
from casino_lobby_client.errors import CallFailed, LobbyAway, UnknownRoom
from casino_lobby_client.lobby_client import LobbyClient
from casino_lobby_client.lobby_stream import (
    Decoder,
    Interruption,
    ServerSentEvent,
    StreamItem,
    follow,
)
from hypothesis import given
from hypothesis import strategies as st
from support.casino.casino_side import LOBBY
from support.console_side import Piece, StreamStub, sse
from support.gateway.seat_side import acted, listed, snapshot

PROBLEM = {"title": "There is no such room", "detail": "No room r1.", "reason": "ROOM_NOT_FOUND"}


class Waits:
    """A sleep that only remembers."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> Awaitable[None]:
        self.seconds.append(seconds)
        return asyncio.sleep(0)


async def followed(
    stub: StreamStub, room_id: str | None = "r1", waits: Waits | None = None, **manner: Any
) -> list[StreamItem | Interruption]:
    api = LobbyApi(LOBBY, stub)
    try:
        return [item async for item in follow(api, room_id, sleep=waits or Waits(), **manner)]
    finally:
        await api.close()


def names(items: Iterable[StreamItem | Interruption]) -> list[str]:
    return [
        "interruption" if isinstance(one, Interruption) else f"{one.event.name} {one.event.last_id}"
        for one in items
    ]


LAGGED = Lagged(cursor=7, message="too slow")


def happened(cursor: int) -> bytes:
    streamed = StreamedEvent(cursor=cursor, room_id="r1", event=acted(cursor))
    return sse("table_event", streamed, cursor)


FIRST = sse("snapshot", RoomStreamSnapshot(cursor=4, room=snapshot()), 4)
CLOSED = sse("room_closed", StreamedRoom(room=listed("r1")))


async def test_a_room_is_followed_to_its_end() -> None:
    """The room's stream is read from its snapshot to the closing event."""
    stub = StreamStub([FIRST, happened(5), CLOSED])
    assert names(await followed(stub, "a/b")) == ["snapshot 4", "table_event 5", "room_closed 5"]
    (asked,) = stub.asked
    assert asked.url.raw_path == b"/v1/rooms/a%2Fb/stream"
    assert "last-event-id" not in asked.headers


@pytest.mark.parametrize(
    "broken",
    [
        [happened(5)],
        [happened(5), httpx.ReadError("reset by peer")],
        [happened(5), httpx.ReadTimeout("silence")],
        [happened(5), happened(6)[:-2]],
    ],
)
async def test_it_goes_on_behind_the_last_whole_event(broken: list[Piece]) -> None:
    stub = StreamStub([FIRST, *broken], [happened(6), CLOSED])
    waits = Waits()
    assert names(await followed(stub, waits=waits)) == [
        "snapshot 4",
        "table_event 5",
        "interruption",
        "table_event 6",
        "room_closed 6",
    ]
    assert stub.asked[1].headers["last-event-id"] == "5"
    assert waits.seconds == [0.5]


async def test_a_lobby_that_stays_away_is_asked_ever_more_seldom() -> None:
    """The delay grows with each failure, and is reset by an answer."""
    nobody = httpx.ConnectError("refused")
    busy = httpx.Response(503, json={"title": "Closing", "detail": "later"})
    crowded = httpx.Response(429, json={"title": "Too many", "detail": "later"})
    first = [FIRST]
    stub = StreamStub(first, *[nobody] * 5, busy, crowded, [happened(5)], [CLOSED])
    waits = Waits()
    items = await followed(stub, waits=waits)
    assert waits.seconds == [0.5, 1, 2, 4, 8, 15, 15, 15, 0.5]
    whys = [one.why for one in items if isinstance(one, Interruption)]
    assert whys[0] == "the stream ended"
    assert whys[1] == f"the lobby at {LOBBY} does not answer: refused"
    assert whys[6] == "later"


async def test_the_lobby_may_ask_for_patience() -> None:
    """The stream's `retry` sets the delay, up to a limit."""
    stub = StreamStub([b"retry: 3000\n\n", FIRST], [b"retry: 86400000\n\n"], [CLOSED])
    waits = Waits()
    await followed(stub, waits=waits)
    assert waits.seconds == [3, 15]


async def test_a_lobby_that_never_answered_is_not_waited_for() -> None:
    with pytest.raises(LobbyAway, match="http://lobby does not answer"):
        await followed(StreamStub(httpx.ConnectError("refused")))


async def test_a_no_is_a_no() -> None:
    gone = httpx.Response(404, json=PROBLEM)
    with pytest.raises(CallFailed, match=r"^No room r1\.$"):
        await followed(StreamStub(gone))
    with pytest.raises(CallFailed, match=r"^No room r1\.$"):
        await followed(StreamStub([FIRST], httpx.Response(404, json=PROBLEM)))


async def test_a_patient_client_goes_on_whatever_breaks() -> None:
    """Within an event, by a refusal, by what cannot be read; pauses grow and begin anew."""
    whole = happened(7)
    stub = StreamStub(
        httpx.ConnectError("refused"),
        [FIRST, happened(6), whole[:20], httpx.ReadError("the connection broke")],
        httpx.Response(409, json={"type": "/problems/draining", "detail": "why"}),
        [whole[:9], whole[9:], b": heartbeat\n\n", sse("lagged", LAGGED)],
        [sse("table_event", "{}", 8)],
        [happened(8) + CLOSED],
    )
    waits = Waits()
    quick = Backoff(first_s=0.1, slowest_s=5.0)
    items = await followed(stub, waits=waits, backoff=quick, is_patient=True)
    assert [name for name in names(items) if name != "interruption"] == [
        "snapshot 4",
        "table_event 6",
        "table_event 7",
        "lagged 7",
        "table_event 8",
        "room_closed 8",
    ]
    resumed = [asked.headers.get("last-event-id") for asked in stub.asked]
    assert resumed == [None, None, "6", "6", "7", "7"]
    assert waits.seconds == [0.1, 0.1, 0.2, 0.1, 0.2]


async def test_a_room_that_the_lobby_does_not_know_is_waited_for_by_nobody() -> None:
    lobby = httpx.MockTransport(
        lambda _asked: httpx.Response(404, json={"type": "/problems/room-not-found"})
    )
    async with httpx.AsyncClient(transport=lobby, base_url=LOBBY) as http:
        with pytest.raises(UnknownRoom):
            _ = [item async for item in follow(LobbyClient(http), "r1", is_patient=True)]


def test_an_event_that_never_ends_is_cut() -> None:
    """Memory is bounded; many small events are not one large one."""
    for endless in ([b"data: ", *[b"x" * 100] * 20], [b"data: %s\n" % (b"x" * 100)] * 20):
        decoder = Decoder(limit=1_000)
        with pytest.raises(LobbyAway, match="more than 1000 characters"):
            _ = [event for chunk in endless for event in decoder.feed(chunk)]
    small = Decoder(limit=1_000)
    assert len(list(small.feed(sse("x", "1" * 100) * 50))) == 50


async def test_something_else_than_a_stream_is_reported() -> None:
    page = httpx.Response(200, html="<h1>Hello</h1>")
    with pytest.raises(CallFailed, match="has no stream of events; is it a lobby"):
        await followed(StreamStub(page))


async def test_of_all_rooms_no_room_is_the_end() -> None:
    """The stream of all rooms goes on after a room closes."""
    opened = sse("room_opened", StreamedRoom(room=listed("r2")))
    everywhere = sse("snapshot", LobbyStreamSnapshot(cursor=4, rooms=()), 4)
    stub = StreamStub([everywhere, CLOSED, opened], [CLOSED])
    api = LobbyApi(LOBBY, stub)
    items = follow(api, None, sleep=Waits())
    seen = [await anext(items) for _ in range(5)]
    assert names(seen)[1:] == ["room_closed 4", "room_opened 4", "interruption", "room_closed 4"]
    assert stub.asked[0].url.path == "/v1/stream"
    await items.aclose()
    await api.close()


async def test_whoever_stops_listening_lets_the_connection_go() -> None:
    """Closing the iterator closes the connection, also during a delay."""
    stub = StreamStub([FIRST])
    api = LobbyApi(LOBBY, stub)

    async def listen() -> None:
        async for _ in follow(api, "r1"):
            pass

    task = asyncio.ensure_future(listen())
    while not stub.asked:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await api.close()


def read(stream: bytes, last_id: str = "") -> list[ServerSentEvent]:
    """Return the events of a stream that comes in one piece."""
    return list(Decoder(last_id).feed(stream))


def the_data(stream: bytes) -> list[str]:
    return [event.data for event in read(stream)]


@pytest.mark.parametrize("module", [casino.output, casino_lobby_client.lobby_stream])
def test_the_examples_are_right(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_every_line_end_is_read(end: bytes) -> None:
    lines = [b"id: 7", b"event: table_event", b"data: one", b"data: two", b"", b""]
    assert read(end.join(lines)) == [ServerSentEvent("table_event", "one\ntwo", "7")]


@pytest.mark.parametrize(
    ("stream", "data"),
    [
        (b"data:x\n\n", ["x"]),
        (b"data:  x\n\n", [" x"]),  # only the first blank belongs to the syntax
        (b"data\n\n", [""]),  # a name alone has an empty value
        (b"data:\ndata:\n\n", ["\n"]),
        (b": ping\n\n:\n\ndata: x\n\n", ["x"]),
        (b"Data: x\nfoo: y\n\ndata: z\n\n", ["z"]),
        (b"data: a:b\n\n", ["a:b"]),
        (b"event: x\n\ndata: y\n\n", ["y"]),
        (b"data: unfinished\n", []),
        (b"data: \xe2\x99\xa0\xff\n\n", ["♠\ufffd"]),
        ("data: a\u2028b\x0bc\x85d\n\n".encode(), ["a\u2028b\x0bc\x85d"]),  # no line ends here
        (b"\xef\xbb\xbfdata: x\n\n", ["x"]),  # one byte order mark is nothing
    ],
)
def test_fields(stream: bytes, data: list[str]) -> None:
    """Lines with and without a field that the parser reads."""
    assert the_data(stream) == data


def test_an_event_without_data_takes_its_name_along() -> None:
    """The next event has the default name again, but the id stays."""
    assert read(b"id: 3\nevent: x\n\ndata: y\n\n") == [ServerSentEvent("message", "y", "3")]


def test_an_id_holds_until_the_next_one() -> None:
    """An empty id resets it; an id with a null character is ignored."""
    stream = b"data: a\n\nid: 8\ndata: b\n\ndata: c\n\nid: x\0y\ndata: d\n\nid\ndata: e\n\n"
    assert [event.last_id for event in read(stream, "5")] == ["5", "8", "8", "8", ""]


def test_the_id_of_an_unfinished_event_is_not_taken() -> None:
    """Otherwise resuming would skip the event's data."""
    decoder = Decoder()
    list(decoder.feed(b"id: 1\ndata: a\n\nid: 2\ndata: b\n"))
    assert decoder.last_id == "1"
    list(decoder.feed(b"\n"))
    assert decoder.last_id == "2"


@pytest.mark.parametrize(("value", "read_as"), [("1500", 1500), ("1.5", None), ("", None)])
def test_retry(value: str, read_as: int | None) -> None:
    decoder = Decoder()
    list(decoder.feed(f"retry: {value}\n\n".encode()))
    assert decoder.retry_ms == read_as


STREAM = (
    "\ufeffid: 1\r\nevent: snapshot\r\ndata: {♠}\r\ndata: é\r\n\r\n: ping\r\rdata: x\r\rid:2\n"
    "data: y\ndata:\n\n"
).encode()


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_pieces_may_be_cut_anywhere(cuts: list[int]) -> None:
    """Chunks end within a character, between CR and LF, and after each byte."""
    edges = [0, *sorted(cuts), len(STREAM)]
    decoder = Decoder()
    events: list[ServerSentEvent] = []
    for start, end in pairwise(edges):
        events += decoder.feed(STREAM[start:end])
    assert events == [
        ServerSentEvent("snapshot", "{♠}\né", "1"),
        ServerSentEvent("message", "x", "1"),
        ServerSentEvent("message", "y\n", "2"),
    ]
