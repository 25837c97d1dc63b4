"""Requests that are never finished or too large: each attack holds a server without limits only."""

import asyncio
from collections.abc import Mapping
from functools import partial

import pytest
from casino_agentkit.server.limits import ServerLimits
from support.attack import connection_attacks as attacks
from support.attack.connection_attacks import Attack, connected, head, status
from support.attack.sample_server import LIMITS, MEGABYTE, UNHURRIED, sample_server

HELD_S = 1.2
"""Six times what any limit of time allows."""

NEVER_FINISHED: Mapping[str, Attack] = {
    "silent": partial(attacks.hold_silent, seconds=HELD_S),
    "silent after an answer": partial(attacks.hold_after_answer, seconds=HELD_S),
    "slow head": partial(attacks.drip_head, seconds=HELD_S),
    "line breaks": partial(attacks.drip_line_breaks, seconds=HELD_S),
    "line breaks after an answer": partial(attacks.drip_line_breaks_after_answer, seconds=HELD_S),
    "slow body": partial(attacks.drip_body, seconds=HELD_S),
    "slow chunks": partial(attacks.drip_chunks, seconds=HELD_S),
    "never read": partial(attacks.never_read, seconds=HELD_S),
}
TOO_LARGE: Mapping[str, Attack] = {
    "headers": partial(attacks.flood_headers, size=4 * MEGABYTE),
    "one header": partial(attacks.flood_one_header, size=4 * MEGABYTE),
    "URL": partial(attacks.flood_url, size=4 * MEGABYTE),
    "trailers": partial(attacks.flood_trailers, size=4 * MEGABYTE),
    "chunk extension": partial(attacks.flood_chunk_extension, size=20 * MEGABYTE),
    "a whole head": partial(attacks.large_head, size=40_000),
    "short headers": partial(attacks.many_headers, count=200),
    "pipelined requests": partial(attacks.flood_pipeline, size=MEGABYTE // 8),
}


@pytest.mark.parametrize(
    ("attack", "limits"),
    [
        *(pytest.param(attack, LIMITS, id=name) for name, attack in NEVER_FINISHED.items()),
        *(pytest.param(attack, UNHURRIED, id=name) for name, attack in TOO_LARGE.items()),
    ],
)
async def test_an_attack_holds_only_a_server_without_limits(
    attack: Attack, limits: ServerLimits
) -> None:
    """What is large is refused by limits of sizes, and none of times."""
    async with sample_server(None) as (_, target):
        assert await attack(target)
    async with sample_server(limits) as (_, target):
        assert not await attack(target)


@pytest.mark.parametrize(
    "begin",
    [
        b"GET /quick HT",
        head("POST /quick", "Content-Length: 9") + b"half",
        head("POST /quick", "Transfer-Encoding: chunked") + b"1\r\na\r\n",
    ],
)
async def test_an_unfinished_request_is_answered_with_408(begin: bytes) -> None:
    async with sample_server(LIMITS) as (_, target), connected(target) as connection:
        await connection.send(begin)
        answer = await connection.answer()
        assert status(answer) == 408
        assert b"connection: close" in answer
        assert b"took too long" in answer


async def test_a_silent_connection_is_closed_without_an_answer() -> None:
    """A browser would take an answer for that of its next request."""
    async with sample_server(LIMITS) as (_, target), connected(target) as connection:
        assert await connection.answer() == b""


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"GET / HTTP/1.1\r\n" + b"a:b\r\n" * 200, 431),
        (b"GET /" + b"a" * 33_000, 431),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 33_000, 431),
        (head("GET /quick", "X: " + "a" * 33_000), 431),
        (head("GET /quick", *["a: b"] * 129), 431),
        (
            head("POST /quick", "Transfer-Encoding: chunked")
            + b"1\r\na\r\n0\r\n"
            + b"a:b\r\n" * 200,
            431,
        ),
        (b"no HTTP at all\r\n\r\n", 400),
    ],
)
async def test_the_status_says_what_is_too_large(sent: bytes, expected: int) -> None:
    async with sample_server(UNHURRIED) as (_, target), connected(target) as connection:
        await connection.send(sent)
        assert status(await connection.answer()) == expected


async def test_a_large_head_behind_another_request_is_refused() -> None:
    """In one piece with it (then neither is answered), or in two."""
    large = head("GET /quick", "X: " + "a" * 33_000)
    for pieces in ([head() + large], [head() + large[:9_000], large[9_000:]]):
        async with sample_server(UNHURRIED) as (_, target), connected(target) as connection:
            for piece in pieces:
                await connection.send(piece)
                await asyncio.sleep(0.05)
            assert (await connection.answer()).count(b"HTTP/1.1 200") < len(pieces)
