"""What a WebSocket client can make the server hold, by what it sends and does not read."""

import asyncio
import socket
from datetime import timedelta

import pytest
from casino.attack.attack_traffic import AttackAddress, AttackConnection, connected, head
from casino_agentkit import WebSocketLimits
from casino_agentkit.server.server_limits import ServerLimits
from support.on_uvloop import on_uvloop
from support.replies.server import turns
from support.websocket_server import LINE, UPGRADE, websocket_server
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

LIMITS = WebSocketLimits()
SOON = timedelta(milliseconds=200)
TINY = b"\x81\x80\0\0\0\0"
"""An empty text, masked."""
PING = b"\x89\xfd\0\0\0\0" + b"p" * 125


async def flood(connection: AttackConnection) -> None:
    """Send 30,000 empty messages at once, then 20,000 of a kilobyte."""
    assert await connection.send(TINY * 30_000)
    for _ in range(100):
        assert await connection.send((b"\x81\xfe\x04\0\0\0\0\0" + b"k" * 1_024) * 200)


class TestMemory:
    @pytest.mark.parametrize(
        ("path", "unread"),
        [("/talk", timedelta(seconds=1)), ("/chorus", timedelta(minutes=1))],
        ids=["one after another", "many at once"],
    )
    async def test_a_client_that_does_not_read(self, path: str, unread: timedelta) -> None:
        """Messages would wait in memory; of many at once, the client is disconnected at once."""
        async with websocket_server(WebSocketLimits(unread=unread)) as (made, port):
            async with connected(AttackAddress(port), read_ahead=4096) as connection:
                await connection.send(head(f"GET {path}", *UPGRADE))
                await made.ended.wait()
                assert made.sent * len(LINE) < 8 * 2**20  # the system's buffers
            await made.until_metrics_say("agent_connections 0.0")
            assert 'agent_connections_cut_total{reason="unread"} 1.0' in made.metrics()

    async def test_pings_without_end(self) -> None:
        """Their answers are not read, so they are no longer read either."""
        limits = WebSocketLimits(unread=timedelta(seconds=1))
        async with websocket_server(limits) as (made, port):
            async with connected(AttackAddress(port), read_ahead=4096) as connection:
                await connection.send(head("GET /echo", *UPGRADE))
                await connection.head()
                taken = 0
                while await connection.send(PING * 1_000):
                    taken += 1_000 * len(PING)
                assert taken < 16 * 2**20
            await made.until_metrics_say('agent_connections_cut_total{reason="unread"} 1.0')

    async def test_messages_that_the_application_does_not_take(self) -> None:
        async with (
            websocket_server(LIMITS) as (made, port),
            connected(AttackAddress(port)) as connection,
        ):
            await connection.send(head("GET /wait", *UPGRADE))
            await connection.head()
            sending = asyncio.ensure_future(flood(connection))
            await turns(500)  # nothing moves any more
            assert not sending.done()
            made.go.set()
            await sending
            await connection.send(b"\x81\x83\0\0\0\0end")
            assert b"50000" in await connection.next_bytes()

    test_a_client_that_does_not_read_on_uvloop = on_uvloop(test_a_client_that_does_not_read)
    test_pings_without_end_on_uvloop = on_uvloop(test_pings_without_end)

    async def test_connections_count_after_the_upgrade(self) -> None:
        """One address holds its share, whatever it opens; others are served."""
        limits = ServerLimits(per_address=4)
        async with websocket_server(LIMITS, limits) as (made, port):
            url = f"ws://127.0.0.1:{port}/echo"
            holders = [await connect(url, local_addr=("127.0.0.2", 0)) for _ in range(4)]
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, local_addr=("127.0.0.2", 0))
            assert refused.value.response.status_code == 503
            async with connect(url, local_addr=("127.0.0.3", 0)) as other:
                await other.send("me too")
                assert await other.recv() == "me too"
            for holder in holders:
                await holder.close()
            await made.until_metrics_say("agent_connections 0.0")
            async with connect(url, local_addr=("127.0.0.2", 0)):
                pass

    async def test_a_client_that_is_gone_without_a_word(self) -> None:
        limits = WebSocketLimits(ping=SOON, pong=SOON, closing=SOON)
        async with (
            websocket_server(limits) as (made, port),
            connected(AttackAddress(port)) as connection,
        ):
            await connection.send(head("GET /echo", *UPGRADE))
            assert not await connection.is_open_after(10)
            await made.until_metrics_say("agent_connections 0.0")
            assert 'agent_connections_cut_total{reason="no_pong"} 1.0' in made.metrics()

    async def test_a_client_that_is_reset(self) -> None:
        async with websocket_server(LIMITS) as (made, port):
            async with connected(AttackAddress(port)) as connection:
                await connection.send(head("GET /echo", *UPGRADE))
                await connection.head()
                raw = connection._writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            await made.until_metrics_say("agent_connections 0.0")
