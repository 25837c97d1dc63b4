"""The streams over a real server: what a browser, a script and a hostile client get."""

import asyncio
import random
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from casino_lobby.store import SqlStore
from support.casino.casino_side import Operator, casino_town
from support.casino.store_side import EventFactory, new_room
from support.casino.streams import BEARER, TOKEN, LiveLobby, live, lobby_of


@pytest.fixture
async def lobby() -> AsyncIterator[LiveLobby]:
    """Serve a lobby with a room."""
    async with lobby_of(new_room()) as lobby:
        yield lobby


def teller_of(lobby: LiveLobby, room_id: str = "r1") -> EventFactory:
    """Return the table of a room."""
    room = lobby.store.room(room_id)
    assert room is not None
    return EventFactory(room)


async def tell(lobby: LiveLobby, teller: EventFactory, count: int) -> None:
    """Let a table tell something."""
    await lobby.store.record(teller._room, teller.some(count))


class TestFollowing:
    """What a client gets."""

    async def test_it_begins_with_a_snapshot_and_goes_on_with_what_happens(
        self, lobby: LiveLobby
    ) -> None:
        """As server-sent events that nobody may cache."""
        teller = teller_of(lobby)
        await tell(lobby, teller, 2)
        async with lobby.stream("/v1/rooms/r1/stream") as client:
            assert client.reply.content_type == "text/event-stream"
            assert client.reply.headers["cache-control"] == "no-store"
            first = await client.next()
            assert first is not None
            assert (first.name, first.id) == ("snapshot", 2)
            await tell(lobby, teller, 2)
            seen = await client.until_cursor(4)
            assert [(one.name, one.id) for one in seen] == [("table_event", 3), ("table_event", 4)]

    async def test_it_goes_on_where_the_client_was(self, lobby: LiveLobby) -> None:
        """The header wins: a browser comes back with it, on the address that it had."""
        await tell(lobby, teller_of(lobby), 6)
        for path, last, wanted in (
            ("/v1/rooms/r1/stream", 4, [5, 6]),
            ("/v1/rooms/r1/stream?after=3", None, [4, 5, 6]),
            ("/v1/rooms/r1/stream?after=1", 5, [6]),
            ("/v1/stream?after=0", None, [1, 2, 3, 4, 5, 6]),
        ):
            async with lobby.stream(path, last=last) as client:
                seen = await client.until_cursor(6)
            assert [one.id for one in seen] == wanted

    async def test_the_lobby_s_own_stream_tells_of_all_rooms(self) -> None:
        """Those that open and end, too."""
        async with casino_town() as town:
            casino = town.lobby
            operator = Operator(town)
            store = town.store
            async with live(casino, store) as lobby, lobby.stream("/v1/stream") as client:
                assert (await client.until(lambda told: told.name == "snapshot"))[0].data == {
                    "cursor": 0,
                    "rooms": [],
                }
                for number in (1, 2):
                    await operator.open(f"r{number}", number)
                await operator.http.delete("/v1/rooms/r1")
                seen = await client.until(lambda told: told.name == "room_closed")
        by_room = [one.data["roomId"] for one in seen if one.name == "table_event"]
        assert set(by_room) == {"r1", "r2"}
        opened = [one.data["room"]["roomId"] for one in seen if one.name == "room_opened"]
        assert opened == ["r1", "r2"]
        assert seen[-1].data["room"]["state"] == "closed"

    async def test_a_quiet_stream_shows_that_it_lives(self) -> None:
        """By comments, which clients do not see."""
        async with (
            lobby_of(new_room(), heartbeat="20ms") as lobby,
            lobby.stream("/v1/rooms/r1/stream") as client,
        ):
            while len(client.comments) < 3:
                line = await client.reply.content.readline()
                if line.startswith(b":"):
                    client.comments.append(line.decode())
        assert set(client.comments) == {": heartbeat\n"}

    async def test_head_gets_no_stream(self, lobby: LiveLobby) -> None:
        """Only its headers."""
        async with lobby.http.head(f"{lobby.url}/v1/stream") as reply:
            assert reply.status == 200
            assert reply.content_type == "text/event-stream"

    async def test_a_closed_room_s_stream_ends(self, lobby: LiveLobby) -> None:
        """Snapshot, room_closed, end."""
        teller = teller_of(lobby)
        teller._room.phase = "closed"
        async with lobby.stream("/v1/rooms/r1/stream") as client:
            assert [told.name for told in await client.rest()] == ["snapshot", "room_closed"]


class TestRefusals:
    """Problems as everywhere."""

    @pytest.mark.parametrize(
        ("path", "status", "kind"),
        [
            ("/v1/rooms/none/stream", 404, "room-not-found"),
            ("/v1/rooms/r1/stream?feed=all", 422, "invalid-request"),
            ("/v1/rooms/r1/stream?after=-1", 422, "invalid-request"),
            ("/v1/rooms/r1/stream?after=", 422, "invalid-request"),
            ("/v1/stream?after=x", 422, "invalid-request"),
            ("/v1/stream?after=99999999999999999999", 422, "invalid-request"),
        ],
    )
    async def test_what_cannot_be_followed(
        self, lobby: LiveLobby, path: str, status: int, kind: str
    ) -> None:
        """The field is named."""
        problem = await lobby.problem(path)
        assert (problem["status"], problem["type"]) == (status, f"/problems/{kind}")
        if status == 422:
            assert problem["errors"][0]["pointer"] in {"#/after", "#/feed"}

    async def test_a_header_that_is_no_cursor(self, lobby: LiveLobby) -> None:
        """Not taken for none."""
        problem = await lobby.problem("/v1/stream", **{"Last-Event-ID": "abc"})
        assert problem["errors"][0]["pointer"] == "#/Last-Event-ID"

    async def test_other_methods(self, lobby: LiveLobby) -> None:
        """Told which is right."""
        problem = await lobby.problem("/v1/stream", "POST")
        assert problem["status"] == 405
        assert "GET" in problem["headers"]["allow"]

    async def test_no_more_streams_than_are_allowed(self) -> None:
        """A place that is free again is given again."""
        async with lobby_of(new_room(), stream_clients=2) as lobby:
            clients = 'casino_stream_clients{feed="public"}'
            async with lobby.stream("/v1/stream"), lobby.stream("/v1/rooms/r1/stream"):
                problem = await lobby.problem("/v1/stream")
                assert (problem["status"], problem["type"]) == (429, "/problems/too-many-streams")
                assert int(problem["headers"]["retry-after"]) > 0
                assert await lobby.metric(clients) == 2
            while await lobby.metric(clients):
                await asyncio.sleep(0.01)
            async with lobby.stream("/v1/stream"):
                assert await lobby.metric(clients) == 1

    async def test_the_commentators_feed_is_the_operator_s(self, lobby: LiveLobby) -> None:
        """With the token, or not at all."""
        path = "/v1/rooms/r1/stream?feed=commentator"
        for given in ({}, {"authorization": "Bearer sesame"}, {"authorization": "Basic x"}):
            problem = await lobby.problem(path, **given)
            assert (problem["status"], problem["reason"]) == (401, "UNAUTHORIZED")
            assert problem["headers"]["www-authenticate"] == "Bearer"
        async with lobby.stream(path, token=TOKEN) as client:
            assert [told.name for told in await client.until(lambda _: True)] == ["snapshot"]
            assert await lobby.metric('casino_stream_clients{feed="commentator"}') == 1

    async def test_without_a_token_nobody_is_the_operator(self) -> None:
        """And it is said how that is changed."""
        async with lobby_of(new_room(), operator_token=None) as lobby:
            path = "/v1/rooms/r1/stream?feed=commentator"
            problem = await lobby.problem(path, **BEARER)
            assert (problem["status"], problem["reason"]) == (403, "OPERATOR_ONLY")
            assert "CASINO_LOBBY_OPERATOR_TOKEN" in problem["detail"]


class TestCuts:
    """Connections break."""

    async def test_cut_fifty_times_it_ends_with_exactly_the_store_s_events(
        self, tmp_path: Path
    ) -> None:
        """At any byte, also in the middle of an event; and the lobby restarts in between."""
        chance, had, raw, last = random.Random(7), [], b"", 0
        rooms, url = [new_room()], f"sqlite+aiosqlite:///{tmp_path}/casino.db"
        sequence = 0
        for life in range(2):
            async with lobby_of(*rooms, store=SqlStore(url)) as lobby:
                rooms = []
                teller = teller_of(lobby)
                teller.sequence = sequence
                for _ in range(25):
                    await tell(lobby, teller, chance.randint(1, 40))
                    raw = await self._cut_off(lobby, last, chance.randint(200, 9_000))
                    for block in raw.split(b"\n\n")[:-1]:  # what is not complete, nobody had
                        had.append(self._id(block))
                        last = had[-1]
                sequence = teller.sequence
                if life == 1:
                    async with lobby.stream("/v1/rooms/r1/stream", last=last) as client:
                        seen = await client.until_cursor(sequence)
                    had += [one.id or 0 for one in seen]
                    committed = await lobby.store.committed(0, 1_000_000, teller._room)
                    assert had == [one.cursor for one in committed]
                    assert len(had) == sequence

    @staticmethod
    def _id(block: bytes) -> int:
        [line] = [line for line in block.split(b"\n") if line.startswith(b"id: ")]
        return int(line[4:])

    @staticmethod
    async def _cut_off(lobby: LiveLobby, last: int, after: int) -> bytes:
        """Return what was read until the connection broke."""
        read = b""
        async with lobby.stream("/v1/rooms/r1/stream", last=last) as client:
            while len(read) < after:
                try:
                    read += await asyncio.wait_for(
                        client.reply.content.read(after - len(read)), 0.1
                    )
                except TimeoutError:
                    break
            assert client.reply.connection is not None
            client.reply.connection.close()
        return read


async def never_reading(lobby: LiveLobby, stack: ExitStack) -> None:
    """Ask for a stream, and never read."""
    parts = urlsplit(lobby.url)
    client = stack.enter_context(socket.socket())
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(client, (str(parts.hostname), parts.port))
    await loop.sock_sendall(client, b"GET /v1/rooms/r1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")


class TestHostile:
    """Clients that take nothing."""

    async def test_one_that_never_reads_is_dropped_within_its_time(self) -> None:
        """And those beside it miss nothing."""
        with ExitStack() as stack:
            async with lobby_of(new_room(), heartbeat="200ms", stream_behind=100_000) as lobby:
                teller = teller_of(lobby)
                await never_reading(lobby, stack)
                stalled = 'casino_stream_dropped_total{reason="stalled"}'
                open_now = 'casino_stream_clients{feed="public"}'
                while not await lobby.metric(open_now):
                    await asyncio.sleep(0.01)
                async with lobby.stream("/v1/rooms/r1/stream") as reader:
                    seen = 1
                    while not await lobby.metric(stalled):
                        await tell(lobby, teller, 500)
                        wanted = lobby.store.last_cursor
                        seen += len(await reader.until_cursor(wanted))
                    assert seen >= lobby.store.last_cursor
                    assert await lobby.metric(open_now) == 1

    async def test_one_that_lags_is_told_and_let_go(self) -> None:
        """With the cursor after which it goes on."""
        async with lobby_of(new_room(), stream_behind=50) as lobby:
            teller = teller_of(lobby)
            async with lobby.stream("/v1/rooms/r1/stream") as client:
                assert [told.name for told in await client.until_cursor(0)] == ["snapshot"]
                await tell(lobby, teller, 51)
                [lagged] = await client.rest()
            assert (lagged.name, lagged.data["cursor"]) == ("lagged", 0)
            async with lobby.stream("/v1/rooms/r1/stream", last=0) as client:
                seen = await client.until_cursor(51)
            assert len(seen) == 51
            assert await lobby.metric('casino_stream_dropped_total{reason="lagged"}') == 1


class TestTheEnd:
    """The lobby drains."""

    async def test_open_streams_do_not_keep_it(self, lobby: LiveLobby) -> None:
        """They end after what was told; who comes later is told why."""
        async with lobby.stream("/v1/rooms/r1/stream") as room, lobby.stream("/v1/stream") as all_:
            await tell(lobby, teller_of(lobby), 3)
            await asyncio.wait_for(lobby.service.finish(), 5)
            for client in (room, all_):
                assert [told.name for told in await client.rest()] == ["snapshot"] + 3 * [
                    "table_event"
                ]
        problem = await lobby.problem("/v1/stream")
        assert (problem["status"], problem["reason"]) == (503, "DRAINING")
