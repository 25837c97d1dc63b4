"""Connections are bounded in total, by origin, and in idle time."""

import asyncio

import pytest
from casino_agentkit import HttpTransport, TimedOut, Unreachable
from casino_agentkit.client.http.pool import ConnectionPool
from support.loops.virtual_loop import loop
from support.replies.calls import HELLO, NEVER, SOON_S, body_of, transport
from support.replies.framing import PLAIN
from support.replies.server import ReplyServer, nobody_listens, reply_server, turns


async def held(made: HttpTransport, server: ReplyServer, count: int) -> "list[asyncio.Task[bytes]]":
    before = server.requests["/x"]
    calls = [asyncio.create_task(body_of(made, server.url + "/x")) for _ in range(count)]
    await server.until(lambda: server.requests["/x"] == before + count)
    return calls


async def test_calls_wait_for_a_connection_up_to_their_deadline() -> None:
    """One that is free then is taken by the next."""
    async with reply_server({"/": HELLO, "/x": NEVER}) as server, transport() as made:
        made._lean._pool = ConnectionPool(limit=2)
        first, second = await held(made, server, 2)
        waiting = asyncio.create_task(body_of(made, server.url + "/"))
        with pytest.raises(TimedOut):
            await body_of(made, server.url + "/", timeout_s=SOON_S)
        assert server.connections == 2
        first.cancel()
        assert await waiting == b"hello"
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)


async def test_a_call_that_stops_waiting_leaves_its_turn_to_the_next() -> None:
    """Also if it was its turn already."""
    async with reply_server({"/": HELLO, "/x": NEVER}) as server, transport() as made:
        made._lean._pool = ConnectionPool(limit=1)
        (busy,) = await held(made, server, 1)
        waiting = [asyncio.create_task(body_of(made, server.url + "/")) for _ in range(3)]
        await turns()
        waiting[0].cancel()
        busy.cancel()
        await asyncio.gather(busy, return_exceptions=True)
        await turns(1)
        waiting[1].cancel()
        assert await waiting[2] == b"hello"
        await asyncio.gather(*waiting, return_exceptions=True)


async def test_a_call_that_cannot_connect_leaves_its_turn_to_the_next() -> None:
    async with reply_server({"/": HELLO, "/x": NEVER}) as server, transport() as made:
        made._lean._pool = ConnectionPool(limit=1)
        (busy,) = await held(made, server, 1)
        with nobody_listens("127.0.0.3") as port:
            nowhere = asyncio.create_task(body_of(made, f"http://127.0.0.3:{port}/"))
            await turns()
            waiting = asyncio.create_task(body_of(made, server.url + "/"))
            await turns()
            busy.cancel()
            with pytest.raises(Unreachable):
                await nowhere
        assert await waiting == b"hello"
        await asyncio.gather(busy, return_exceptions=True)


async def test_an_idle_connection_makes_room_for_another_origin() -> None:
    """That which is idle for longest."""
    async with (
        reply_server({"/": HELLO}) as one,
        reply_server({"/": HELLO}) as two,
        reply_server({"/": HELLO}) as three,
        transport() as made,
    ):
        made._lean._pool = ConnectionPool(limit=2)
        for server in (one, two, three):
            assert await body_of(made, server.url + "/") == b"hello"
        await one.all_gone()
        assert (two.open, three.open) == (1, 1)


async def test_an_origin_keeps_so_many_idle_connections() -> None:
    """256 of 300 that were needed at once."""
    all_are_there = asyncio.Barrier(300)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await all_are_there.wait()
        writer.write(PLAIN)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=512)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with transport() as made:
        await asyncio.gather(*(body_of(made, url, "GET") for _ in range(300)))
        await turns()
        assert len(made._lean._pool._open) == 256
    server.close()


async def test_idle_connections_are_closed_after_a_minute() -> None:
    """Not before; one that is used stays."""
    async with (
        reply_server({"/": HELLO}) as idle,
        reply_server({"/": HELLO}) as used,
        transport() as made,
    ):
        await body_of(made, idle.url + "/")
        for _ in range(5):
            loop().pass_time(11)
            await body_of(made, used.url + "/")
            assert (idle.open, used.open) == (1, 1)
        for _ in range(2):
            loop().pass_time(11)
            await body_of(made, used.url + "/")
        await idle.all_gone()
        assert (used.open, used.connections) == (1, 1)
        for _ in range(8):
            loop().pass_time(11)
            await turns()
        await used.all_gone()
        assert not loop().timers
