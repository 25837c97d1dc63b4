"""A room is followed without a gap, whatever breaks."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from datetime import timedelta

import httpx
import pytest
from casino_contracts import RoomStreamSnapshot, StreamedEvent
from casino_gateway.lobby import sse
from casino_gateway.lobby.room_stream import (
    RoomHappened,
    RoomOver,
    RoomState,
    RoomStream,
    StreamItem,
)
from casino_seats.errors import LobbyUnavailable
from casino_seats.lobby_client import LobbyClient
from support.gateway.seat_side import acted, snapshot


class Bytes(httpx.AsyncByteStream):
    """A body in chunks, which breaks at its end if it `breaks`."""

    def __init__(self, *chunks: bytes, breaks: bool = False) -> None:
        self._chunks = chunks
        self._breaks = breaks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._breaks:
            raise httpx.ReadError("the connection broke")


def frame(name: str, data: bytes) -> bytes:
    """Return a frame as the lobby writes it."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


def first(cursor: int) -> bytes:
    return frame("snapshot", RoomStreamSnapshot(cursor=cursor, room=snapshot()).wire())


def happened(cursor: int) -> bytes:
    streamed = StreamedEvent(cursor=cursor, room_id="room", event=acted(cursor))
    return b"id: %d\n" % cursor + frame("table_event", streamed.wire())


class ScriptedLobby:
    """Answers one request after the other, and notes where each resumes."""

    def __init__(self, *replies: httpx.Response | httpx.HTTPError) -> None:
        self._replies = list(replies)
        self.resumed: list[str | None] = []
        self.paths: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.resumed.append(request.headers.get("last-event-id"))
        self.paths.append(request.url.raw_path.decode())
        reply = self._replies.pop(0)
        if isinstance(reply, httpx.HTTPError):
            raise reply
        return reply

    def client(self) -> LobbyClient:
        transport = httpx.MockTransport(self)
        http = httpx.AsyncClient(transport=transport, base_url="http://lobby")
        return LobbyClient(http, seating=timedelta(seconds=1))


async def followed(
    lobby: ScriptedLobby, room_id: str = "room"
) -> tuple[list[StreamItem], list[str], list[float]]:
    """Follow a room to its end; returns what came, the breaks, and the pauses."""
    breaks: list[str] = []
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await asyncio.sleep(0)

    stream = RoomStream(lobby.client(), room_id, None, breaks.append, sleep)
    async with aclosing(stream.items()) as items:
        return [item async for item in items], breaks, pauses


def stream(*chunks: bytes, breaks: bool = False) -> httpx.Response:
    return httpx.Response(200, stream=Bytes(*chunks, breaks=breaks))


def kinds(items: Sequence[StreamItem]) -> list[object]:
    """Return what came: cursors, and the end."""
    return [item.is_known if isinstance(item, RoomOver) else item.cursor for item in items]


async def test_a_stream_goes_on_after_its_cursor_whatever_breaks() -> None:
    """In the middle of a frame, by a refusal, by silence; pauses grow and begin anew."""
    whole = happened(7)
    lobby = ScriptedLobby(
        stream(first(5), happened(6), whole[:20], breaks=True),
        httpx.ConnectError("refused"),
        httpx.Response(503, json={"type": "/problems/draining", "detail": "why"}),
        stream(whole[:9], whole[9:], b": heartbeat\n\n", frame("lagged", b"{}")),
        stream(frame("table_event", b"{}")),
        stream(happened(8) + frame("room_closed", b"{}")),
    )
    items, breaks, pauses = await followed(lobby)
    assert kinds(items) == [5, 6, 7, 8, True]
    assert isinstance(items[0], RoomState)
    assert isinstance(items[1], RoomHappened)
    assert lobby.resumed == [None, "6", "6", "6", "7", "7"]
    assert len(breaks) == 5
    assert pauses == [0.1, 0.2, 0.4, 0.1, 0.2]


async def test_a_room_that_the_lobby_does_not_know_is_over() -> None:
    lobby = ScriptedLobby(
        httpx.Response(404, json={"type": "/problems/room-not-found", "detail": "why"})
    )
    items, breaks, _ = await followed(lobby, "a/b c")
    assert kinds(items) == [False]
    assert not breaks
    assert lobby.paths == ["/v1/rooms/a%2Fb%20c/stream"]


async def test_a_frame_that_never_ends_is_cut() -> None:
    """Memory is bounded; many small frames are not one large one."""
    endless = Bytes(b"data: ", *[b"x" * 100] * 20)
    with pytest.raises(LobbyUnavailable, match="more than 1000 bytes"):
        _ = [part async for part in sse.frames(endless, limit=1_000)]
    small = Bytes(*[frame("x", b"1" * 100)] * 50)
    assert len([part async for part in sse.frames(small, limit=1_000)]) == 50
