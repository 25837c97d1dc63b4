"""Requests that are never finished are ended by a time limit."""

from collections.abc import Mapping
from functools import partial

import pytest
from support.attack import connection_attacks as attacks
from support.attack.connection_attacks import Attack, connected, head, status
from support.attack.sample_server import LIMITS, closed_within, sample_server

HELD_S = 1.2
"""Six times what any limit below allows."""

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


class TestWithoutEnd:
    """Requests that are never finished."""

    @pytest.mark.parametrize("name", NEVER_FINISHED)
    async def test_it_holds_a_connection_without_limits(self, name: str) -> None:
        """The attack succeeds against a server without limits."""
        async with sample_server(None) as (_, target):
            assert await NEVER_FINISHED[name](target)

    @pytest.mark.parametrize("name", NEVER_FINISHED)
    async def test_an_unfinished_request_is_cut_off(self, name: str) -> None:
        """By the time limit of the part that is missing."""
        async with sample_server(LIMITS) as (_, target):
            assert not await NEVER_FINISHED[name](target)

    @pytest.mark.parametrize(
        "begin",
        [
            b"GET /quick HT",
            head("POST /quick", "Content-Length: 9") + b"half",
            head("POST /quick", "Transfer-Encoding: chunked") + b"1\r\na\r\n",
        ],
    )
    async def test_an_unfinished_request_is_answered_with_408(self, begin: bytes) -> None:
        """Then the connection is closed."""
        async with sample_server(LIMITS) as (_, target), connected(target) as connection:
            await connection.send(begin)
            answer = await closed_within(connection)
            assert status(answer) == 408
            assert b"connection: close" in answer
            assert b"took too long" in answer

    async def test_a_silent_connection_is_closed_without_an_answer(self) -> None:
        """A browser would take an answer for that of its next request."""
        async with sample_server(LIMITS) as (_, target), connected(target) as connection:
            assert await closed_within(connection) == b""
