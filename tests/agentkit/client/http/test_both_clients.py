"""The lean client and aiohttp's make the same of every reply, on kept connections too.

Each fault of a reply is tried once in core; every method, manner and position in the tier long.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping

import pytest
from casino_agentkit import HttpTransport
from support.on_uvloop import on_uvloop
from support.replies.framing import (
    CHUNKS,
    EXCESS,
    HEADS,
    INTERIM,
    LENGTHS,
    MEANINGS,
    OK,
    PLAIN,
    UNTIL_THE_END,
    in_every_manner,
    in_some_manners,
    with_headers,
)
from support.replies.server import End, Reply, reply_server
from support.replies.verdict import Verdict, transports, verdict

SHORT_S = 0.4
TABLES = {
    "lengths": LENGTHS,
    "chunks": CHUNKS,
    "heads": HEADS,
    "meanings": MEANINGS,
    "interim": INTERIM,
}

Manners = Callable[..., list[Reply]]
MANNERS = [
    pytest.param(in_some_manners, id="some"),
    pytest.param(in_every_manner, marks=pytest.mark.long, id="every"),
]


async def made_of(
    transport: HttpTransport, method: str, replies: Mapping[str, Reply], timeout_s: float = 20
) -> tuple[dict[str, Verdict], int]:
    """Return what a client makes of each reply by its name, and how often it asks.

    Plain replies come between them: their head is known, and their connection is kept.
    """
    numbered: dict[str, Reply] = {"/": (PLAIN,)}
    numbered |= {f"/{number}": reply for number, reply in enumerate(replies.values())}
    body = b"{}" if method == "POST" else b""
    made = {}
    async with reply_server(numbered) as server:
        for number, (name, reply) in enumerate(replies.items()):
            plain = await verdict(transport, method, f"{server.url}/", body, timeout_s)
            assert plain.body == b"hello"
            made[name] = await verdict(transport, method, f"{server.url}/{number}", body, timeout_s)
            if reply[-1] in {"close", "reset"}:
                await server.all_gone()
        await transport.close()
    return made, server.requests.total()


async def assert_same(
    method: str, replies: Mapping[str, Reply], timeout_s: float = 20
) -> list[Verdict]:
    """Assert that both clients make the same of each reply; returns what."""
    lean, complete = [
        await made_of(transport, method, replies, timeout_s) for transport in transports()
    ]
    assert lean[0] == complete[0]
    if method == "POST":  # aiohttp repeats others also where a part of a reply has arrived
        assert lean[1] == complete[1]
    return list(lean[0].values())


def arriving(table: Mapping[str, bytes], manners: Manners, *, closes: bool) -> dict[str, Reply]:
    return {
        f"{name}, {number}": reply
        for name, data in table.items()
        for number, reply in enumerate(manners(data, closes=closes))
    }


@pytest.mark.parametrize("method", ["POST", pytest.param("GET", marks=pytest.mark.long)])
@pytest.mark.parametrize("manners", MANNERS)
@pytest.mark.parametrize("table", TABLES)
async def test_a_reply_is_read_in_the_same_way(table: str, manners: Manners, method: str) -> None:
    """In one piece and in several, with a head that is known and with one that is not."""
    await assert_same(method, arriving(TABLES[table], manners, closes=False))


@pytest.mark.parametrize("manners", MANNERS)
@pytest.mark.parametrize("table", ["until the end", "lengths", "chunks"])
async def test_a_reply_that_ends_with_its_connection_is_read_in_the_same_way(
    table: str, manners: Manners
) -> None:
    """Whether the end is that of its body, or comes too early."""
    replies = {**TABLES, "until the end": UNTIL_THE_END}[table]
    await assert_same("POST", arriving(replies, manners, closes=True))


@pytest.mark.parametrize("manners", MANNERS)
async def test_a_reply_with_more_behind_it_is_read_in_the_same_way(manners: Manners) -> None:
    for name, reply in arriving(EXCESS, manners, closes=False).items():
        made = []  # by a client of its own: aiohttp may take the rest for the next reply
        for transport in transports():
            async with reply_server({"/plain": (PLAIN,), "/more": reply}) as server:
                paths = ("/plain", "/more")
                made += [await verdict(transport, "POST", server.url + at, b"{}") for at in paths]
                await transport.close()
        assert made[:2] == made[2:], name


@on_uvloop
async def test_replies_are_read_in_the_same_way_on_uvloop() -> None:
    """Its reads end elsewhere."""
    for table in (LENGTHS, CHUNKS):
        await assert_same("POST", arriving(table, in_some_manners, closes=False))


@pytest.mark.parametrize("is_lean", [True, False])
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


@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize("end", ["close", "reset"])
async def test_a_reply_that_breaks_off_is_read_in_the_same_way(end: End, method: str) -> None:
    """Before it, in its head, and in its body."""
    body_at = PLAIN.index(b"hello")
    cuts: dict[str, Reply] = {
        f"{at}, {again}": (PLAIN[:at], end) if at else (end,)
        for at in (0, 1, body_at - 1, body_at, len(PLAIN) - 1, len(PLAIN))
        for again in (0, 1)
    }
    await assert_same(method, cuts)


async def test_a_reply_without_an_end_is_late_in_the_same_way() -> None:
    for data in (
        b"HTTP/1.1 200",
        PLAIN[:-2],
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ):
        replies: dict[str, Reply] = {"at once": (data,), "apart": (data[:7], data[7:])}
        made = await assert_same("POST", replies, SHORT_S)
        assert all(one.error.startswith("TimedOut") for one in made)


def essence(head: bytes) -> tuple[bytes, dict[bytes, bytes]]:
    """Return the first line of a request and its headers, but for what each client calls itself."""
    first, *lines = head[:-4].split(b"\r\n")
    headers = {name.lower(): value for name, value in (line.split(b": ", 1) for line in lines)}
    del headers[b"user-agent"]
    return first, headers


PATHS = (
    "", "/", "?", "?a=b", "/%41%2f%zz", "/caf\u00e9?\u20ac=%e2", "/x#part", "/./a/../b//",
    "/a;b=c?d=e&f", "/'\"<>[]{}|^`",
)  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
async def test_both_ask_the_same(method: str) -> None:
    asked = []
    headers = {
        "Content-Type": "application/json",
        "A2A-Version": "1.0",
        "Authorization": "Bearer x",
    }
    for transport in transports():
        async with reply_server({}) as server:
            server.replies = defaultdict(lambda: (PLAIN,))
            for path, host in itertools.product(PATHS, ("127.0.0.1", "LOCALHOST")):
                for body in (b"", b"{}") if method in {"POST", "PUT"} else (b"",):
                    url = server.url.replace("127.0.0.1", host) + path
                    await transport.send(method, url, headers, body, 20)
            port = server.url.rpartition(":")[2].encode()
            await transport.close()
        asked.append([essence(head.replace(port, b"PORT")) for head in server.heads])
    assert asked[0] == asked[1]
