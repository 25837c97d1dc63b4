"""Streams over a real server: for browsers, scripts and hostile clients."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from starlette.types import Message
from support.casino.store_side import EventFactory, new_room
from support.casino.streams import BEARER, TOKEN, LiveLobby, lobby_of
from support.loops.virtual_loop import loop


@pytest.fixture
async def lobby() -> AsyncIterator[LiveLobby]:
    async with lobby_of(new_room()) as lobby:
        yield lobby


def factory_of(lobby: LiveLobby, room_id: str = "r1") -> EventFactory:
    room = lobby.store.room(room_id)
    assert room is not None
    return EventFactory(room)


async def tell(lobby: LiveLobby, factory: EventFactory, count: int) -> None:
    await lobby.store.record(factory.room, factory.some(count))


class TestFollowing:
    async def test_a_stream_begins_with_a_snapshot(self, lobby: LiveLobby) -> None:
        factory = factory_of(lobby)
        await tell(lobby, factory, 2)
        async with lobby.stream("/v1/rooms/r1/stream") as client:
            assert client.reply.content_type == "text/event-stream"
            assert client.reply.headers["cache-control"] == "no-store"
            first = await client.next()
            assert first is not None
            assert (first.name, first.id) == ("snapshot", 2)
            await tell(lobby, factory, 2)
            seen = await client.until_cursor(4)
            assert [(one.name, one.id) for one in seen] == [("table_event", 3), ("table_event", 4)]

    async def test_a_stream_resumes_after_the_last_event_id(self, lobby: LiveLobby) -> None:
        """The header wins over the query, as browsers need it."""
        await tell(lobby, factory_of(lobby), 6)
        for path, last, wanted in (
            ("/v1/rooms/r1/stream", 4, [5, 6]),
            ("/v1/rooms/r1/stream?after=3", None, [4, 5, 6]),
            ("/v1/rooms/r1/stream?after=1", 5, [6]),
            ("/v1/stream?after=0", None, [1, 2, 3, 4, 5, 6]),
        ):
            async with lobby.stream(path, last=last) as client:
                seen = await client.until_cursor(6)
            assert [one.id for one in seen] == wanted

    async def test_a_quiet_stream_sends_heartbeats(self) -> None:
        async with (
            lobby_of(new_room(), heartbeat="20ms") as lobby,
            lobby.stream("/v1/rooms/r1/stream") as client,
        ):
            while len(client.comments) < 3:
                line = await client.reply.content.readline()
                if line.startswith(b":"):
                    client.comments.append(line.decode())
        assert set(client.comments) == {": heartbeat\n"}


async def never_reading(lobby: LiveLobby, stack: ExitStack) -> None:
    parts = urlsplit(lobby.url)
    client = stack.enter_context(socket.socket())
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(client, (str(parts.hostname), parts.port))
    await loop.sock_sendall(client, b"GET /v1/rooms/r1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")


class TestHostile:
    async def test_a_client_that_never_reads_is_disconnected(self) -> None:
        with ExitStack() as stack:
            async with lobby_of(new_room(), heartbeat="200ms", stream_behind=100_000) as lobby:
                factory = factory_of(lobby)
                await never_reading(lobby, stack)
                stalled = 'casino_stream_dropped_total{reason="stalled"}'
                open_now = 'casino_stream_clients{feed="public"}'
                await lobby.until_metric(open_now, 1)
                async with lobby.stream("/v1/rooms/r1/stream") as reader:
                    seen = 1
                    while not await lobby.metric(stalled):
                        await tell(lobby, factory, 500)
                        wanted = lobby.store.last_cursor
                        seen += len(await reader.until_cursor(wanted))
                        await asyncio.sleep(1)
                    assert seen >= lobby.store.last_cursor
                    assert await lobby.metric(open_now) == 1

    async def test_a_client_is_stalled_once_though_two_writes_are_overdue(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        """A page and a heartbeat wait for it, and their time ends while the lobby is busy."""
        async with lobby_of(new_room(), heartbeat="10ms") as lobby:
            waiting, asked = 0, False

            async def receive() -> Message:
                nonlocal asked
                if asked:
                    await asyncio.Event().wait()
                asked = True
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: Message) -> None:
                nonlocal waiting
                if message["type"] == "http.response.body":
                    waiting += 1
                    if waiting == 2:
                        loop().pass_time(0.1)  # it is busy until both writes are overdue
                    await asyncio.Event().wait()

            parts = urlsplit(lobby.url)
            scope = {
                "type": "http",
                "http_version": "1.1",
                "method": "GET",
                "scheme": "http",
                "path": "/v1/stream",
                "query_string": b"",
                "headers": [(b"host", parts.netloc.encode())],
                "server": (parts.hostname, parts.port),
                "client": (parts.hostname, 1),
            }
            await lobby.service.asgi()(scope, receive, send)
            assert waiting == 2
            assert await lobby.metric('casino_stream_dropped_total{reason="stalled"}') == 1
            assert [line for line in caplog.records if line.levelname == "ERROR"] == []

    async def test_a_client_that_lags_is_notified_and_disconnected(self) -> None:
        async with lobby_of(new_room(), stream_behind=50) as lobby:
            factory = factory_of(lobby)
            async with lobby.stream("/v1/rooms/r1/stream") as client:
                assert [sent.name for sent in await client.until_cursor(0)] == ["snapshot"]
                await tell(lobby, factory, 51)
                [lagged] = await client.rest()
            assert (lagged.name, lagged.data["cursor"]) == ("lagged", 0)
            async with lobby.stream("/v1/rooms/r1/stream", last=0) as client:
                seen = await client.until_cursor(51)
            assert len(seen) == 51
            assert await lobby.metric('casino_stream_dropped_total{reason="lagged"}') == 1


class TestDraining:
    async def test_open_streams_do_not_delay_the_end(self, lobby: LiveLobby) -> None:
        async with lobby.stream("/v1/rooms/r1/stream") as room, lobby.stream("/v1/stream") as all_:
            await tell(lobby, factory_of(lobby), 3)
            await lobby.service.finish()
            for client in (room, all_):
                assert [sent.name for sent in await client.rest()] == ["snapshot"] + 3 * [
                    "table_event"
                ]
        problem = await lobby.problem("/v1/stream")
        assert (problem["status"], problem["reason"]) == (503, "DRAINING")


async def test_streams_beyond_the_limit_are_refused() -> None:
    async with lobby_of(new_room(), stream_clients=2) as lobby:
        clients = 'casino_stream_clients{feed="public"}'
        async with lobby.stream("/v1/stream"), lobby.stream("/v1/rooms/r1/stream"):
            problem = await lobby.problem("/v1/stream")
            assert (problem["status"], problem["type"]) == (429, "/problems/too-many-streams")
            assert int(problem["headers"]["retry-after"]) > 0
            assert await lobby.metric(clients) == 2
        await lobby.until_metric(clients, 0)
        async with lobby.stream("/v1/stream"):
            assert await lobby.metric(clients) == 1


async def test_the_commentators_feed_needs_the_operator_s_token(lobby: LiveLobby) -> None:
    path = "/v1/rooms/r1/stream?feed=commentator"
    for given in ({}, {"authorization": "Bearer sesame"}, {"authorization": "Basic x"}):
        problem = await lobby.problem(path, **given)
        assert (problem["status"], problem["reason"]) == (401, "UNAUTHORIZED")
        assert problem["headers"]["www-authenticate"] == "Bearer"
    async with lobby.stream(path, token=TOKEN) as client:
        assert [sent.name for sent in await client.until(lambda _: True)] == ["snapshot"]
        assert await lobby.metric('casino_stream_clients{feed="commentator"}') == 1


async def test_without_an_operator_token_there_is_no_commentators_feed() -> None:
    async with lobby_of(new_room(), operator_token=None) as lobby:
        path = "/v1/rooms/r1/stream?feed=commentator"
        problem = await lobby.problem(path, **BEARER)
        assert (problem["status"], problem["reason"]) == (403, "OPERATOR_ONLY")
        assert "CASINO_LOBBY_OPERATOR_TOKEN" in problem["detail"]
