"""Where a call sends its token, and what of a reply it quotes."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from casino_agentkit import (
    AgentClient,
    AgentError,
    HttpTransport,
)
from support.attack.address_policies import AnyAddress
from support.attack.raw_servers import agent, internal_service
from support.envelopes import card
from support.on_uvloop import on_uvloop

SOON = timedelta(seconds=5)


class TestReflections:
    """Replies that are no A2A are not quoted."""

    @pytest.mark.parametrize(
        "page",
        [
            {"error": {"code": 7, "message": "db password is hunter2"}},
            {"error": {"message": "db password is hunter2"}, "jsonrpc": "2.0", "id": "7"},
            {"error": "hunter2"},
            {"message": "hunter2", "type": "hunter2"},
            {"password": "hunter2"},
            "hunter2",
        ],
    )
    @pytest.mark.parametrize("status", ["200 OK", "400 Bad", "500 Error"])
    @pytest.mark.parametrize("binding", ["jsonrpc", "rest", "v03"])
    @on_uvloop
    async def test_an_internal_service_is_not_quoted(
        self, binding: str, status: str, page: Any
    ) -> None:
        """In any form of its reply, named as an interface by any card."""

        def content(origin: str, is_card: bool) -> Any:  # noqa: FBT001
            return card(binding, origin) if is_card else page

        async with agent(content, status=status) as (origin, _):
            client = AgentClient(HttpTransport())
            peer = await client.resolve(origin, timeout=SOON)
            with pytest.raises(AgentError) as error:
                await peer.call("act", b"{}", dict, timeout=SOON)
            await client.close()
        assert "hunter2" not in str(error.value)


class TestTokens:
    """A token is sent to its agent only."""

    @pytest.mark.parametrize("binding", ["jsonrpc", "rest", "v03"])
    @on_uvloop
    async def test_a_token_is_sent_in_the_header(self, binding: str) -> None:
        """By every binding; without a token there is no header."""
        async with agent(lambda origin, _: card(binding, origin)) as (origin, asked):
            client = AgentClient(HttpTransport())
            peer = await client.resolve(origin, timeout=SOON)
            for token in ("sesame-1234567890", None):
                with pytest.raises(AgentError) as error:
                    await peer.call("act", b"{}", dict, timeout=SOON, token=token)
                assert "sesame" not in str(error.value)
            await client.close()
        posts = [call.lower() for call in asked if call.startswith("POST")]
        assert ["authorization: bearer sesame-1234567890" in call for call in posts] == [
            True,
            False,
        ]
        assert ["authorization" in call for call in posts] == [True, False]
        assert all("accept-encoding: identity" in call for call in posts)

    @pytest.mark.parametrize("binding", ["jsonrpc", "rest", "v03"])
    @on_uvloop
    async def test_a_call_follows_no_redirect(self, binding: str) -> None:
        """Neither token nor question reaches the target."""
        async with internal_service() as (port, asked):
            cards = []

            def redirecting(origin: str, *_: object) -> dict[str, Any]:
                cards.append(origin)
                return card(binding, origin)

            async with agent(redirecting) as (origin, _):
                client = AgentClient(HttpTransport(AnyAddress()))
                peer = await client.resolve(origin, timeout=SOON)
            moved = f"http://127.0.0.1:{port}/"
            server_port = int(origin.rpartition(":")[2])

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readuntil(b"\r\n\r\n")
                line = f"HTTP/1.1 307 X\r\nLocation: {moved}\r\nContent-Length: 0\r\n\r\n"
                writer.write(line.encode())
                await writer.drain()
                writer.close()

            server = await asyncio.start_server(serve, "127.0.0.1", server_port)
            with pytest.raises(AgentError):
                await peer.call("act", b"{}", dict, timeout=SOON, token="sesame-1234567890")
            await client.close()
            server.close()
            assert not asked
