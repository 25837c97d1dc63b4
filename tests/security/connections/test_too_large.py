"""Heads, trailers and pipelines that are too large are refused."""

import asyncio
from collections.abc import Mapping
from functools import partial

import pytest
from support.attack import connection_attacks as attacks
from support.attack.connection_attacks import Attack, connected, head, status
from support.attack.sample_server import MEGABYTE, UNHURRIED, closed_within, sample_server

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


class TestTooLarge:
    """Requests that are too large."""

    @pytest.mark.parametrize("name", TOO_LARGE)
    async def test_it_is_taken_without_limits(self, name: str) -> None:
        """The attack succeeds against a server without limits."""
        async with sample_server(None) as (_, target):
            assert await TOO_LARGE[name](target)

    @pytest.mark.parametrize("name", TOO_LARGE)
    async def test_a_large_request_is_refused(self, name: str) -> None:
        """With limits of sizes, and none of times."""
        async with sample_server(UNHURRIED) as (_, target):
            assert not await TOO_LARGE[name](target)

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
    async def test_the_status_says_what_is_too_large(self, sent: bytes, expected: int) -> None:
        """Then the connection is closed."""
        async with sample_server(UNHURRIED) as (_, target), connected(target) as connection:
            await connection.send(sent)
            assert status(await closed_within(connection)) == expected

    async def test_a_large_head_behind_another_request_is_refused(self) -> None:
        """In one piece with it (then neither is answered), or in two."""
        large = head("GET /quick", "X: " + "a" * 33_000)
        for pieces in ([head() + large], [head() + large[:9_000], large[9_000:]]):
            async with sample_server(UNHURRIED) as (_, target), connected(target) as connection:
                for piece in pieces:
                    await connection.send(piece)
                    await asyncio.sleep(0.05)
                assert (await closed_within(connection)).count(b"HTTP/1.1 200") < len(pieces)
