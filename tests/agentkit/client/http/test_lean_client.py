"""The lean client: what it repeats on a new connection, the addresses of a name, its headers."""

import pytest
from casino_agentkit import Disconnected, ProtocolFault, Unreachable
from support.attack.raw_servers import lookup_of
from support.loops.virtual_loop import loop
from support.replies.calls import HELLO, body_of, first_and_then, transport
from support.replies.framing import PLAIN, with_headers
from support.replies.server import End, nobody_listens, reply_server

STALE_S = 1.5
"""After so long a server may have closed a connection meanwhile."""


class TestStaleConnections:
    """A connection that was idle for a while may be closed by the time a request arrives."""

    @pytest.mark.parametrize("end", ["close", "reset"])
    async def test_a_request_is_repeated_on_a_new_one(self, end: End) -> None:
        async with (
            reply_server({"/": HELLO, "/x": first_and_then((end,))}) as server,
            transport() as made,
        ):
            await body_of(made, server.url + "/")
            loop().pass_time(STALE_S)
            assert await body_of(made, server.url + "/x") == b"hello"
            assert (server.requests["/x"], server.connections) == (2, 2)

    async def test_it_is_repeated_once(self) -> None:
        """A server that closes every connection is not asked for ever."""
        async with reply_server({"/": HELLO, "/x": ("close",)}) as server, transport() as made:
            for method in ("POST", "GET"):
                await body_of(made, server.url + "/")
                loop().pass_time(STALE_S)
                with pytest.raises(Disconnected):
                    await body_of(made, server.url + "/x", method)
            assert server.requests["/x"] == 2 + 2

    @pytest.mark.parametrize("end", ["close", "reset"])
    async def test_a_call_on_a_busy_one_is_not_repeated(self, end: End) -> None:
        """The server had it a moment ago, and may have done what was asked; a GET does no harm."""
        replies = {"/": HELLO, "/x": first_and_then((end,)), "/y": first_and_then((end,))}
        async with reply_server(replies) as server, transport() as made:
            await body_of(made, server.url + "/")
            with pytest.raises(Disconnected):
                await body_of(made, server.url + "/x")
            await body_of(made, server.url + "/")
            assert await body_of(made, server.url + "/y", "GET") == b"hello"
            assert (server.requests["/x"], server.requests["/y"]) == (1, 2)

    @pytest.mark.parametrize("begun", [PLAIN[:1], PLAIN[:20], PLAIN[:-1]])
    @pytest.mark.parametrize("method", ["GET", "POST"])
    async def test_it_is_not_repeated_once_a_reply_begins(self, method: str, begun: bytes) -> None:
        """The server has the request, however long the connection was idle."""
        replies = {"/": HELLO, "/x": first_and_then((begun, "close"))}
        async with reply_server(replies) as server, transport() as made:
            await body_of(made, server.url + "/")
            loop().pass_time(STALE_S)
            with pytest.raises(Disconnected):
                await body_of(made, server.url + "/x", method)
            assert server.requests["/x"] == 1

    async def test_one_that_the_server_has_closed_is_not_used(self) -> None:
        async with reply_server({"/": HELLO}) as server, transport() as made:
            await body_of(made, server.url + "/")
            server.close_all()
            await server.all_gone()
            assert await body_of(made, server.url + "/") == b"hello"
            assert (server.requests["/"], server.connections) == (2, 2)

    async def test_one_that_sends_unasked_is_not_used(self) -> None:
        lie = with_headers(body=b"a lie")
        async with (
            reply_server({"/": first_and_then((PLAIN, lie))}) as server,
            transport() as made,
        ):
            assert await body_of(made, server.url + "/") == b"hello"
            await server.all_gone()
            assert await body_of(made, server.url + "/") == b"hello"
            assert server.connections == 2


class TestAddresses:
    @pytest.mark.parametrize("addresses", [["127.0.0.3", "127.0.0.1"], ["127.0.0.1", "127.0.0.3"]])
    async def test_the_next_address_is_tried(self, addresses: list[str]) -> None:
        async with (
            reply_server({"/": HELLO}) as server,
            transport(lookup=lookup_of({"many.example": [addresses]})) as made,
        ):
            url = server.url.replace("127.0.0.1", "many.example")
            assert await body_of(made, url + "/") == b"hello"
            assert b"\r\nHost: many.example:" in server.heads[0]

    async def test_none_of_them_answers(self) -> None:
        said = []
        for is_lean in (True, False):
            lookup = lookup_of({"many.example": [["127.0.0.3", "127.0.0.4"]]})
            async with transport(lookup=lookup, is_lean=is_lean) as made:
                with (
                    nobody_listens("127.0.0.3", "127.0.0.4") as port,
                    pytest.raises(Unreachable) as error,
                ):
                    await body_of(made, f"http://many.example:{port}/")
            said.append(error.value.message)
        assert said == ["no connection (connection refused)"] * 2


class TestHeaders:
    @pytest.mark.parametrize(
        "headers",
        [
            {"X": "a\r\nY: b"},
            {"X": "a\nY: b"},
            {"X": "a\rY: b"},
            {"X": "a\0"},
            {"X\r\nY": "a"},
            {"X: a\r\nY": "b"},
            {"Authorization": "Bearer x\r\n\r\nGET /admin HTTP/1.1"},
            {"X": "caf\u00e9"},
        ],
    )
    async def test_it_cannot_add_another_one(self, headers: dict[str, str]) -> None:
        async with reply_server({"/": HELLO}) as server, transport() as made:
            with pytest.raises(ProtocolFault):
                await made.send("POST", server.url + "/", headers, b"", 5)
            assert not server.heads
