"""Requests that are never finished or too large: each attack holds a server without limits only."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import pytest
from casino.attack.attack_traffic import AttackAddress, connected, head, status
from casino.attack.resource_attacks import DRIPS, FLOODS, drip, flood, hold_many
from casino_agentkit.server.server_limits import ServerLimits
from support.attack.sample_server import LIMITS, MEGABYTE, UNHURRIED, sample_server

Attack = Callable[[AttackAddress], Awaitable[bool]]
HELD_S = 1.2
"""Six times what any limit of time allows."""
SIZES = {"chunk extension": 20 * MEGABYTE}


async def hold_silent(target: AttackAddress) -> bool:
    """Connect and send nothing."""
    return await hold_many(target, 1, HELD_S) == 1


async def hold_after_answer(target: AttackAddress) -> bool:
    """Send one request, then nothing more."""
    async with connected(target) as connection:
        await connection.send(head())
        await connection.response()
        return await connection.is_open_after(HELD_S)


async def never_read(target: AttackAddress) -> bool:
    """Request a large answer and read nothing for a while; tells whether all was kept."""
    async with connected(target, read_ahead=1024) as connection:
        await connection.send(head("GET /big"))
        await asyncio.sleep(HELD_S)  # virtual: the attack
        try:
            await connection.response()
        except (ConnectionError, asyncio.IncompleteReadError):
            return False
        return True


async def large_head(target: AttackAddress, *fields: str) -> bool:
    """Send a whole head with these fields at once; tells whether it was answered."""
    async with connected(target) as connection:
        await connection.send(head("GET /quick", *fields))
        return status(await connection.response()) == 200


PIPELINED = (head("GET /slow"), b"GET /quick HTTP/1.1\r\n\r\n" * 400)
"""Requests behind a slow one."""
NEVER_FINISHED: Mapping[str, Attack] = {
    "silent": hold_silent,
    "silent after an answer": hold_after_answer,
    "never read": never_read,
    **{f"slow {what}": partial(drip, what=what, seconds=HELD_S) for what in DRIPS},
}
TOO_LARGE: Mapping[str, Attack] = {
    "a whole head": lambda target: large_head(target, f"X: {'a' * 40_000}"),
    "short headers": lambda target: large_head(target, *["a:b"] * 200),
    "requests behind a slow one": lambda target: flood(target, *PIPELINED, MEGABYTE // 8),
    **{
        what: partial(flood, begin=begin, piece=piece, size=SIZES.get(what, 4 * MEGABYTE))
        for what, (begin, piece) in FLOODS.items()
    },
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


async def test_a_silent_connection_is_closed_without_an_answer() -> None:
    """A browser would take an answer for that of its next request."""
    async with sample_server(LIMITS) as (_, target), connected(target) as connection:
        assert await connection.answer() == b""


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"GET /" + b"a" * 33_000, 431),
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
