"""What one address can request of a lobby: raw requests from any loopback address, counted."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from casino.attack.attack_traffic import AttackAddress, AttackConnection, connected, head, status
from casino.attack.binding_calls import BINDINGS
from casino_agentkit.protocol import RPC_PATH

OTHER = "127.0.0.3"
"""The address of somebody who does nothing wrong."""
_CLOSED = (OSError, asyncio.IncompleteReadError)


def bearer(key: str) -> tuple[str, ...]:
    """Return the authorization header of a key, none for None."""
    return (f"Authorization: Bearer {key}",) if key else ()


async def get(
    connection: AttackConnection, path: str, *, method: str = "GET", key: str = ""
) -> int:
    """Request a path on an open connection; returns the status."""
    await connection.send(head(f"{method} {path}", *bearer(key)))
    return status(await connection.response(has_body=method != "HEAD"))


async def get_once(target: AttackAddress, path: str, *, key: str = "") -> int:
    """Request a path on a new connection; returns the status."""
    async with connected(target) as connection:
        return await get(connection, path, key=key)


async def call(
    connection: AttackConnection, skill: str, data: dict[str, Any], *, key: str = ""
) -> str:
    """Call an entrypoint over A2A; returns `ok`, or the reason of the refusal."""
    body = json.dumps(BINDINGS[0].body(skill, data)).encode()
    fields = (
        "Content-Type: application/json",
        "A2A-Version: 1.0",
        f"Content-Length: {len(body)}",
        *bearer(key),
    )
    await connection.send(head(f"POST {RPC_PATH}", *fields) + body)
    answer = json.loads((await connection.response()).partition(b"\r\n\r\n")[2])
    if "error" not in answer:
        return "ok"
    details = answer["error"].get("data") or [{}]
    return str(details[0].get("metadata", {}).get("reason", answer["error"]["code"]))


async def call_once(
    target: AttackAddress, skill: str, data: dict[str, Any], *, key: str = ""
) -> str:
    async with connected(target) as connection:
        return await call(connection, skill, data, key=key)


async def call_many(
    target: AttackAddress, skill: str, inputs: Iterable[dict[str, Any]], *, at_once: int = 8
) -> Counter[str]:
    """Call repeatedly on a few connections; returns how often it ended how."""
    outcomes: Counter[str] = Counter()
    left: Iterator[dict[str, Any]] = iter(inputs)

    async def work() -> None:
        async with connected(target) as connection:
            for data in left:
                outcomes[await call(connection, skill, data)] += 1

    await asyncio.gather(*(work() for _ in range(at_once)))
    return outcomes


async def get_many(
    target: AttackAddress, path: str, count: int, *, method: str = "GET", key: str = ""
) -> Counter[int]:
    """Read repeatedly on one connection; returns how often it ended how."""
    async with connected(target) as connection:
        return Counter([await get(connection, path, method=method, key=key) for _ in range(count)])


@asynccontextmanager
async def streams_of(
    target: AttackAddress, count: int, *, path: str = "/v1/stream", key: str = ""
) -> AsyncIterator[int]:
    """Open and hold streams from one address; yields how many were opened."""
    async with AsyncExitStack() as stack:
        opened = 0
        for _ in range(count):
            connection = await stack.enter_async_context(connected(target))
            await connection.send(head(f"GET {path}", *bearer(key)))
            try:
                opened += status(await connection.head()) == 200
            except _CLOSED:  # refused at the door
                continue
        yield opened


# The attacks.


async def take_all_streams(target: AttackAddress, count: int) -> bool:
    """Open many streams; tells whether another address gets none any more."""
    async with (
        streams_of(target, count),
        streams_of(AttackAddress(target.port, OTHER), 1) as others,
    ):
        return others == 0


async def take_the_operators_streams(target: AttackAddress, count: int, key: str) -> bool:
    """Open streams from many addresses; tells whether the operator gets none any more."""
    async with AsyncExitStack() as stack:
        for number in range(count):
            source = f"127.0.1.{number}"
            await stack.enter_async_context(streams_of(AttackAddress(target.port, source), 1))
        async with streams_of(AttackAddress(target.port, OTHER), 1, key=key) as operators:
            return operators == 0


async def command_without_end(target: AttackAddress, count: int) -> bool:
    """Send commands over REST and A2A in turn; tells whether all were processed."""
    async with connected(target) as rest, connected(target) as a2a:
        for _ in range(count // 2):
            if await get(rest, "/v1/rooms/none", method="DELETE") == 429:
                return False
            if await call(a2a, "startRoom", {"roomId": "none"}) == "TOO_MANY_REQUESTS":
                return False
    return True


async def put_tables_out(target: AttackAddress, count: int) -> bool:
    """Announce addresses without a table; tells whether a real one is forgotten."""
    ours = "http://127.0.0.1:1/ours"
    await call_once(AttackAddress(target.port, OTHER), "registerTable", {"agentCardUrl": ours})
    announcements = ({"agentCardUrl": f"http://u{n}@127.0.0.1:2/{n}"} for n in range(count))
    await call_many(target, "registerTable", announcements)
    async with connected(AttackAddress(target.port, OTHER)) as connection:
        await connection.send(head("GET /v1/tables"))
        tables = json.loads((await connection.response()).partition(b"\r\n\r\n")[2])["tables"]
    known = [table["agentCardUrl"] for table in tables]
    return ours not in known or len(known) > count // 2
