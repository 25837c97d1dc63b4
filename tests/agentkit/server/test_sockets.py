"""Sockets that services listen on."""

import asyncio
import socket

from casino_agentkit.server.serving import bind


async def test_a_connection_sends_at_once() -> None:
    """Else the body of a reply waits until its head is acknowledged: 40 ms on loopback."""
    accepted: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
    listener = bind("127.0.0.1", 0)
    async with await asyncio.start_server(
        lambda _reader, writer: accepted.put_nowait(writer), sock=listener
    ):
        _, client = await asyncio.open_connection(*listener.getsockname())
        served = await accepted.get()
        connection = served.get_extra_info("socket")
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for writer in (client, served):
            writer.close()
            await writer.wait_closed()
