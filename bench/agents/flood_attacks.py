"""The attacks of `flood.py` on a lobby; each returns its outcome."""

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from itertools import repeat
from typing import Any

from casino.attack.attack_traffic import AttackAddress, connected, head
from casino.attack.resource_attacks import FLOODS, drip, flood, hold_many
from rig import BENCH, free_port

sys.path.append(str(BENCH.parent / "tests"))
from support.attack.lobby_attacks import call_many, get_many, streams_of

SECONDS = 6.0
SOCKETS, SLOW, STREAMS, CALLS = 10_000, 1_000, 2_000, 10_000
FLOOD_BYTES = 200 * 2**20
CONFIG = {
    "startingStack": 200,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 40,
    "maxBuyIn": 400,
    "maxHands": 10,
    "maxSeats": 6,
}

Attack = Callable[[AttackAddress], Coroutine[Any, Any, dict[str, Any]]]


async def idle_sockets(target: AttackAddress) -> dict[str, Any]:
    """Open connections and send nothing."""
    return {"held": await hold_many(target, SOCKETS, SECONDS), "of": SOCKETS}


async def _held(target: AttackAddress, what: str) -> dict[str, Any]:
    outcomes = await asyncio.gather(
        *(drip(target, what, 12.0) for _ in range(SLOW)), return_exceptions=True
    )
    return {"held": sum(outcome is True for outcome in outcomes), "of": SLOW}


async def slow_heads(target: AttackAddress) -> dict[str, Any]:
    """Send headers byte by byte, for longer than the header timeout."""
    return await _held(target, "head")


async def slow_bodies(target: AttackAddress) -> dict[str, Any]:
    """Send bodies byte by byte."""
    return await _held(target, "body")


async def _flooded(target: AttackAddress, what: str) -> dict[str, Any]:
    end, tries, taken = time.monotonic() + SECONDS, 0, 0
    while time.monotonic() < end:
        tries += 1
        taken += await flood(target, *FLOODS[what], FLOOD_BYTES)
    return {"taken": taken, "of": tries, "megabytes_each": FLOOD_BYTES // 2**20}


async def endless_headers(target: AttackAddress) -> dict[str, Any]:
    """Send endless headers."""
    return await _flooded(target, "headers")


async def endless_url(target: AttackAddress) -> dict[str, Any]:
    """Send an endless URL."""
    return await _flooded(target, "URL")


async def one_byte_chunks(target: AttackAddress) -> dict[str, Any]:
    """Send bodies in chunks of one byte after a large chunk, on eight connections."""
    end, sent = time.monotonic() + SECONDS, 0
    begin = head("POST /a2a/jsonrpc", "Transfer-Encoding: chunked") + b"dbba0\r\n" + b"x" * 900_000

    async def send_chunks() -> None:
        nonlocal sent
        while time.monotonic() < end:
            async with connected(target) as connection:
                await connection.send(begin + b"\r\n")
                for piece in repeat(b"1\r\nx\r\n", 5_000):
                    if time.monotonic() >= end or not await connection.send(piece):
                        break
                    sent += 1
                    await asyncio.sleep(0)

    await asyncio.gather(*(send_chunks() for _ in range(8)))
    return {"bytes": sent}


async def streams(target: AttackAddress) -> dict[str, Any]:
    """Open streams and keep them open."""
    async with AsyncExitStack() as stack:
        batches = [streams_of(target, STREAMS // 20) for _ in range(20)]
        opened = await asyncio.gather(*map(stack.enter_async_context, batches))
        await asyncio.sleep(SECONDS)
    return {"opened": sum(opened), "of": STREAMS}


async def announcements(target: AttackAddress) -> dict[str, Any]:
    """Announce tables that do not exist."""
    inputs = ({"agentCardUrl": f"http://u{n}@127.0.0.1:9/{n}"} for n in range(CALLS))
    return dict(await call_many(target, "registerTable", inputs))


async def rooms(target: AttackAddress) -> dict[str, Any]:
    """Open rooms on a table that does not answer, from 20 addresses."""
    addresses = [f"127.0.2.{number}" for number in range(1, 21)]
    each = CALLS // len(addresses)
    table = f"http://127.0.0.1:{free_port()}/"
    outcomes: dict[str, Any] = {}
    for number, address in enumerate(addresses):
        inputs = (
            {"roomId": f"x{number}-{n}", "tableAgentCardUrl": table, "config": CONFIG}
            for n in range(each)
        )
        for outcome, count in (
            await call_many(AttackAddress(target.port, address), "createRoom", inputs)
        ).items():
            outcomes[outcome] = outcomes.get(outcome, 0) + count
    return outcomes


async def reads(target: AttackAddress) -> dict[str, Any]:
    """Read the list of rooms as fast as possible."""
    outcomes: dict[str, Any] = {}
    for counts in await asyncio.gather(
        *(get_many(target, "/v1/rooms", CALLS // 8) for _ in range(8))
    ):
        for status, count in counts.items():
            outcomes[str(status)] = outcomes.get(str(status), 0) + count
    return outcomes


ATTACKS: dict[str, Attack] = {
    attack.__name__: attack
    for attack in (
        idle_sockets,
        slow_heads,
        slow_bodies,
        endless_headers,
        endless_url,
        one_byte_chunks,
        streams,
        announcements,
        rooms,
        reads,
    )
}
