"""WebSockets: real clients on a real server, honest ones and those who send or read wrongly."""

import asyncio
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from casino.attack.attack_traffic import (
    AttackAddress,
    connected,
    head,
    status,
)
from casino_agentkit import BrowserGuard, WebSocketLimits
from casino_agentkit.server.server_limits import ServerLimits
from casino_agentkit.tls import client_context, server_context
from starlette.types import ASGIApp
from support.certificates import Authority
from support.on_uvloop import on_uvloop
from support.websocket_server import UPGRADE, websocket_server
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

LIMITS = WebSocketLimits()
SOON = timedelta(milliseconds=200)


async def closed(client: ClientConnection) -> tuple[int, str]:
    """Return code and reason with which the server closes."""
    await client.wait_closed()
    assert client.close_code is not None
    return client.close_code, client.close_reason or ""


class TestHonest:
    async def test_messages_come_back_and_the_place_is_given_back(self) -> None:
        """Also the largest, and one in pieces; HTTP is answered beside."""
        async with websocket_server(LIMITS) as (made, port):
            async with connect(f"ws://127.0.0.1:{port}/echo", max_size=None) as client:
                for text in ("a", "ü" * 32_768, "x" * 65_536):
                    await client.send(text)
                    assert await client.recv() == text
                await client.send(["pie", "", "ces"])
                assert await client.recv() == "pieces"
                await made.until_metrics_say("agent_connections 1.0")
                async with httpx.AsyncClient() as http:
                    assert (await http.get(f"http://127.0.0.1:{port}/quick")).text == "quick"
                await client.send("bye")
                assert await closed(client) == (4000, "bye")
            await made.until_metrics_say("agent_connections 0.0")
            async with connect(f"ws://127.0.0.1:{port}/echo") as client:
                assert client.response is not None
                assert "Sec-WebSocket-Extensions" not in client.response.headers
            await made.until_metrics_say("agent_connections 0.0")
            assert made.codes == [1000]

    async def test_no_time_of_http_holds_after_the_upgrade(self) -> None:
        """Neither that of a head nor that of an idle connection."""
        limits = ServerLimits(first_byte=SOON, head=SOON, body=SOON, idle=SOON, unread=SOON)
        async with (
            websocket_server(LIMITS, limits) as (_, port),
            connect(f"ws://127.0.0.1:{port}/echo") as client,
        ):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout((3 * SOON).total_seconds()):  # virtual: no limit cuts it
                    await client.recv()
            await client.send("still here")
            assert await client.recv() == "still here"

    async def test_tls(self, tmp_path: Path) -> None:
        authority = Authority(tmp_path)
        tls = server_context(*authority.give("place"))
        async with (
            websocket_server(LIMITS, tls=tls) as (made, port),
            connect(f"wss://localhost:{port}/echo", ssl=client_context(authority.root)) as client,
        ):
            await client.send("secret")
            assert await client.recv() == "secret"
            await client.send("x" * 65_537)
            assert (await closed(client))[0] == 1009
            await made.until_metrics_say("agent_connections 0.0")

    test_tls_on_uvloop = on_uvloop(test_tls)  # asyncio's own has other buffers

    async def test_the_application_knows_its_caller(self) -> None:
        """By the bearer token, as in HTTP."""
        async with (
            websocket_server(LIMITS) as (_, port),
            connect(
                f"ws://127.0.0.1:{port}/caller",
                additional_headers={"Authorization": "Bearer sesame"},
            ) as client,
        ):
            assert await client.recv() == "sesame 127.0.0.1"
            assert (await closed(client))[0] == 1000

    async def test_the_process_ends(self) -> None:
        async with websocket_server(LIMITS) as (made, port):
            client = await connect(f"ws://127.0.0.1:{port}/echo")
            await client.send("hello")
            await client.recv()
        assert await closed(client) == (1001, "the server is going away")
        assert made.codes == [1001]

    async def test_a_service_that_asks_for_none_has_none(self) -> None:
        """The request is answered as HTTP."""
        async with websocket_server(None) as (_, port):
            with pytest.raises(InvalidStatus) as refused:
                await connect(f"ws://127.0.0.1:{port}/echo")
            assert refused.value.response.status_code == 404


class TestWrongMessages:
    async def test_a_message_over_the_limit(self) -> None:
        """In one frame or in many; the client reads why, though it is still sending."""
        async with websocket_server(LIMITS) as (made, port):
            for message in ("x" * 65_537, "x" * 3_000_000, ["x" * 40_000, "x" * 40_000]):
                async with connect(f"ws://127.0.0.1:{port}/echo") as client:
                    await client.send(message)
                    assert (await closed(client))[0] == 1009
            await made.until_metrics_say("agent_connections 0.0")
            assert 'agent_connections_cut_total{reason="large_message"} 3.0' in made.metrics()
            assert made.codes == [1009] * 3

    async def test_fragments_without_end(self) -> None:
        """Empty ones never exceed a size."""
        async with (
            websocket_server(LIMITS) as (_, port),
            connect(f"ws://127.0.0.1:{port}/echo") as client,
        ):
            await client.send([""] * 300)
            assert await closed(client) == (1009, "the message has too many fragments")

    async def test_bytes_that_are_no_text(self) -> None:
        """In a text frame; the log says nothing."""
        async with (
            websocket_server(LIMITS) as (made, port),
            connect(f"ws://127.0.0.1:{port}/echo") as client,
        ):
            await client.send(b"\xff\xfe", text=True)
            assert await closed(client) == (1007, "text must be UTF-8")
            assert 'agent_connections_cut_total{reason="bad_message"} 1.0' in made.metrics()

    @pytest.mark.parametrize(
        "request_head",
        [
            head("GET /echo", *UPGRADE[:2]),
            head("GET /echo", *UPGRADE[:3]),
            head("POST /echo", *UPGRADE),
            head("GET /echo", *UPGRADE, "X: " + "a" * 9_000),
        ],
        ids=["no version", "no key", "POST", "long line"],
    )
    async def test_a_wrong_request(self, request_head: bytes) -> None:
        async with (
            websocket_server(LIMITS) as (made, port),
            connected(AttackAddress(port)) as connection,
        ):
            await connection.send(request_head)
            assert status(await connection.answer()) in {400, 405, 426}
            await made.until_metrics_say("agent_connections 0.0")

    async def test_an_upgrade_behind_an_unread_response(self) -> None:
        """It is refused, because the response would follow the upgrade."""
        async with (
            websocket_server(LIMITS) as (made, port),
            connected(AttackAddress(port)) as connection,
        ):
            await connection.send(head("GET /quick") + head("GET /echo", *UPGRADE))
            assert b" 101 " not in await connection.answer()
            await made.until_metrics_say("agent_connections 0.0")

    async def test_a_fault_of_the_application(self, caplog: pytest.LogCaptureFixture) -> None:
        async with (
            websocket_server(LIMITS) as (_, port),
            connect(f"ws://127.0.0.1:{port}/fail") as client,
        ):
            assert await closed(client) == (1011, "the server failed; the fault is not yours")
        assert "a secret detail" in caplog.text


class TestPages:
    """A page of another origin in a browser of somebody who may connect."""

    async def test_origin_and_host(self) -> None:
        """Listed origins, the own one and programs without any are served."""

        def guard(app: ASGIApp) -> ASGIApp:
            return BrowserGuard(app, origins=("https://casino.example",), setting="HOSTS")

        async with websocket_server(LIMITS, guarded=guard) as (made, port):
            url = f"ws://127.0.0.1:{port}/echo"
            for origin in (
                None,
                Origin(f"http://127.0.0.1:{port}"),
                Origin("https://casino.example"),
            ):
                async with connect(url, origin=origin) as client:
                    await client.send("hello")
                    assert await client.recv() == "hello"
            for headers, expected in (
                ({"Origin": "https://evil.example"}, 403),
                ({"Origin": "null"}, 403),
                ({"Sec-Fetch-Site": "cross-site"}, 403),
            ):
                with pytest.raises(InvalidStatus) as refused:
                    await connect(url, additional_headers=headers)
                assert refused.value.response.status_code == expected
                assert b"other origins" in (refused.value.response.body or b"")
            async with connected(AttackAddress(port)) as connection:
                await connection.send(head("GET /echo", *UPGRADE, "Host: evil.example"))
                assert status(await connection.answer()) in {400, 421}
            await made.until_metrics_say("agent_connections 0.0")
