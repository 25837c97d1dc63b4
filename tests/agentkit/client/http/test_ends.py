"""The end of a call, or of the transport, leaves nothing behind."""

import asyncio
import socket
from functools import partial

import pytest
from casino_agentkit import HttpTransport, TimedOut, Unreachable
from support.loops.virtual_loop import loop
from support.replies.calls import HELLO, NEVER, SOON_S, body_of, transport
from support.replies.framing import PLAIN
from support.replies.server import Reply, reply_server, turns


@pytest.mark.parametrize("begun", [NEVER, (PLAIN[:20],), (PLAIN[:-1],), (PLAIN[:-5], b"h")])
async def test_a_late_call_leaves_no_connection_and_no_timer_of_its_own(begun: Reply) -> None:
    """On a new connection, and on a kept one whose heads are known."""
    async with reply_server({"/": HELLO, "/x": begun}) as server, transport() as made:
        for _ in range(2):
            with pytest.raises(TimedOut):
                await body_of(made, server.url + "/x", timeout_s=SOON_S)
            await body_of(made, server.url + "/")
            assert loop().timers == 2  # of all deadlines, and of idle connections
        loop().pass_time(10)
        await turns()
        assert loop().timers == 1  # no call is under way
        await made.close()
        await server.all_gone()
        assert not loop().timers


async def test_a_cancelled_call_leaves_no_connection_and_no_timer_of_its_own() -> None:
    async with (
        reply_server({"/0": NEVER, "/1": (PLAIN[:20],), "/2": (PLAIN[:-1],)}) as server,
        transport() as made,
    ):
        for path in ("/0", "/1", "/2"):
            call = asyncio.create_task(body_of(made, server.url + path))
            await server.until(partial(server.requests.__contains__, path))
            await turns()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await server.all_gone()
            assert loop().timers == 1  # of all deadlines
        loop().pass_time(10)
        await turns()
        assert not loop().timers


async def test_the_deadline_ends_a_connect() -> None:
    """A listener that accepts nothing any more."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        full = [socket.socket() for _ in range(4)]
        for one in full:  # they fill its queue
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        async with transport() as made:
            with pytest.raises(TimedOut):
                await body_of(made, url, timeout_s=SOON_S)
            assert not made._lean._pool._open
        for one in full:
            one.close()


async def test_close_ends_everything() -> None:
    async with reply_server({"/": HELLO, "/x": NEVER}) as server:
        made = HttpTransport()
        await body_of(made, server.url + "/")
        calls = [
            asyncio.create_task(body_of(made, server.url + "/x", method))
            for method in ("GET", "POST", "POST")
        ]
        await server.until(lambda: server.requests["/x"] == 3)
        await made.close()
        for call in calls:
            with pytest.raises(Unreachable):
                await call
        await server.all_gone()
        assert server.requests["/x"] == 3
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_closed_transport_can_be_used_again() -> None:
    async with reply_server({"/": HELLO}) as server, transport() as made:
        await body_of(made, server.url + "/")
        await made.close()
        assert await body_of(made, server.url + "/") == b"hello"
