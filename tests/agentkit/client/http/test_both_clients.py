"""The lean client and aiohttp's make the same of every reply, on kept connections too."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

import pytest
from casino_agentkit import HttpTransport
from support.attack.replies.catalogue import ATTACKS
from support.attack.replies.raw_process import raw_agents
from support.envelopes import EXTENSION
from support.loops.each_loop import on_each_loop
from support.replies.framing import (
    AT_ONCE,
    EXCESS,
    OK,
    PLAIN,
    UNTIL_THE_END,
    in_every_manner,
    with_headers,
)
from support.replies.server import End, Reply, reply_server
from support.replies.verdict import Verdict, transports, verdict

SHORT_S = 0.4
CALL = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": "a",
        "method": "SendMessage",
        "params": {"message": {"metadata": {EXTENSION: {"skill": "act"}}}},
    }
).encode()


async def made_of(
    transport: HttpTransport, method: str, replies: Sequence[Reply], timeout_s: float = 20
) -> tuple[list[Verdict], int]:
    """Return what a client makes of each reply, and how often it asks.

    A plain reply comes before and after: its head is known, and its connection is kept.
    """
    plain: Reply = (PLAIN,)
    numbered = {f"/{number}": reply for number, reply in enumerate([plain, *replies, plain])}
    body = b"{}" if method == "POST" else b""
    made = []
    async with reply_server(numbered) as server:
        for path, reply in numbered.items():
            made.append(await verdict(transport, method, server.url + path, body, timeout_s))
            if reply[-1] in {"close", "reset"}:
                await server.all_gone()
        await transport.close()
    return made, server.requests.total()


async def assert_same(
    method: str, replies: Sequence[Reply], timeout_s: float = 20
) -> list[Verdict]:
    """Assert that both clients make the same of each reply; returns what."""
    lean, complete = [
        await made_of(transport, method, replies, timeout_s) for transport in transports()
    ]
    assert lean[0] == complete[0]
    if method == "POST":  # aiohttp repeats others also where a part of a reply has arrived
        assert lean[1] == complete[1]
    assert lean[0][0].body == lean[0][-1].body == b"hello"
    return lean[0][1:-1]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", AT_ONCE)
@on_each_loop
async def test_a_reply_is_read_in_the_same_way(name: str, method: str) -> None:
    """In one piece and in several, with a head that is known and with one that is not."""
    await assert_same(method, in_every_manner(AT_ONCE[name], closes=False))


@pytest.mark.parametrize("name", [*AT_ONCE, *UNTIL_THE_END])
@on_each_loop
async def test_a_reply_that_ends_with_its_connection_is_read_in_the_same_way(name: str) -> None:
    """Whether the end is that of its body, or comes too early."""
    data = (AT_ONCE | UNTIL_THE_END)[name]
    await assert_same("POST", in_every_manner(data, closes=True))


@pytest.mark.parametrize("name", EXCESS)
@on_each_loop
async def test_a_reply_with_more_behind_it_is_read_in_the_same_way(name: str) -> None:
    """In every manner by a client of its own: aiohttp may take the rest for the next reply."""
    for reply in in_every_manner(EXCESS[name], closes=False):
        made = []
        for transport in transports():
            async with reply_server({"/plain": (PLAIN,), "/more": reply}) as server:
                made.append(
                    [
                        await verdict(transport, "POST", server.url + path, b"{}")
                        for path in ("/plain", "/more")
                    ]
                )
                await transport.close()
        assert made[0] == made[1]


@pytest.mark.parametrize("is_lean", [True, False])
@on_each_loop
async def test_a_second_reply_is_not_taken_for_the_next_one(*, is_lean: bool) -> None:
    """It comes with the body, when the first reply is read and its connection is kept already."""
    head, second = PLAIN[:-5], with_headers(status=b"404 N", body=b"forged")
    replies: dict[str, Reply] = {"/first": (head, b"hello" + second), "/next": (PLAIN,)}
    transport = transports()[not is_lean]
    async with reply_server(replies) as server:
        for path in replies:
            made = await verdict(transport, "POST", server.url + path, b"{}")
            assert (made.status, made.body) == (200, b"hello")
        assert server.requests == {"/first": 1, "/next": 1}
        await transport.close()


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
@pytest.mark.parametrize("end", ["close", "reset"])
@on_each_loop
async def test_a_reply_that_breaks_off_is_read_in_the_same_way(end: End, method: str) -> None:
    """At every byte; the head is known."""
    for at in range(len(PLAIN) + 1):
        cut: Reply = (PLAIN[:at], end) if at else (end,)
        await assert_same(method, [cut, cut])


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200",
        PLAIN[:-2],
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ],
)
@on_each_loop
async def test_a_reply_without_an_end_is_late_in_the_same_way(data: bytes) -> None:
    """The connection stays open."""
    made = await assert_same("POST", [(data,), (data[:7], data[7:])], SHORT_S)
    assert all(one.error.startswith("TimedOut") for one in made)


def essence(head: bytes) -> tuple[bytes, dict[bytes, bytes]]:
    """Return the first line of a request and its headers, but for what each client calls itself."""
    first, *lines = head[:-4].split(b"\r\n")
    headers = {name.lower(): value for name, value in (line.split(b": ", 1) for line in lines)}
    del headers[b"user-agent"]
    return first, headers


@pytest.mark.parametrize(
    "path",
    ["", "/", "?", "?a=b", "/%41%2f%zz", "/caf\u00e9?\u20ac=%e2", "/x#part", "/./a/../b//",
     "/a;b=c?d=e&f", "/'\"<>[]{}|^`"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
@on_each_loop
async def test_both_ask_the_same(path: str, method: str) -> None:
    """The same target, host and framing, with a body and without."""
    asked = []
    headers = {
        "Content-Type": "application/json",
        "A2A-Version": "1.0",
        "Authorization": "Bearer x",
    }
    for transport in transports():
        async with reply_server({}) as server:
            server.replies = defaultdict(lambda: (PLAIN,))
            for host in ("127.0.0.1", "LOCALHOST"):
                for body in (b"", b"{}") if method in {"POST", "PUT"} else (b"",):
                    url = server.url.replace("127.0.0.1", host) + path
                    await transport.send(method, url, headers, body, 20)
            port = server.url.rpartition(":")[2].encode()
            await transport.close()
        asked.append([essence(head.replace(port, b"PORT")) for head in server.heads])
    assert asked[0] == asked[1]


@pytest.fixture(scope="module")
def agents() -> Iterator[str]:
    """Run the hostile agents; returns their address."""
    with raw_agents() as url:
        yield url


@pytest.mark.full
@pytest.mark.parametrize("attack", ATTACKS)
@on_each_loop
async def test_a_hostile_reply_is_read_in_the_same_way(agents: str, attack: str) -> None:
    """Twice, with an honest reply before and after."""
    made = []
    for transport in transports():
        urls = [f"{agents}/jsonrpc/{name}/rpc" for name in ("honest", attack, attack, "honest")]
        made.append([await verdict(transport, "POST", url, CALL, SHORT_S) for url in urls])
        await transport.close()
    assert made[0] == made[1]
    assert made[0][0].status == made[0][-1].status == 200
