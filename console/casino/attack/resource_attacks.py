"""Attacks that exhaust resources, in short and bounded forms."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

import orjson

from casino.attack.attack_base import Outcome, attack, refused, succeeded
from casino.attack.attack_target import AttackTarget
from casino.attack.attack_traffic import AttackAddress, AttackConnection, connected, head
from casino.attack.binding_calls import HEADERS, RPC_PATH
from casino.errors import NoAnswer

_IDLE, _SILENT, _STREAMS = 300, 8, 60
_MEGABYTE = 1024 * 1024
_WATCH_S = 14.0
"""Seconds for which a silent connection or an unfinished header is watched."""
_PAUSE_S, _WRITE_S = 0.05, 5.0
_DEEP = 10_000  # a body that every skill takes
_LARGE, _PART = 900_000, 70_000
_OK, _FULL = b"HTTP/1.1 200", b"HTTP/1.1 503"
_POST = head(f"POST {RPC_PATH}", "Transfer-Encoding: chunked")

Endless = Mapping[str, tuple[bytes, bytes]]
"""By name: how a request begins, and what is sent repeatedly then."""
DRIPS: Endless = {
    "head": (b"GET /healthz HTTP/1.1\r\nX: ", b"a"),
    "line breaks": (b"", b"\r\n"),
    "line breaks after an answer": (head(), b"\r\n"),  # where an idle timer runs
    "body": (head(f"POST {RPC_PATH}", "Content-Length: 9999"), b"a"),
    "chunks": (_POST, b"1\r\na\r\n"),
}
FLOODS: Endless = {
    "headers": (b"GET /healthz HTTP/1.1\r\n", b"a:b\r\n" * 8_000),
    "one header": (b"GET /healthz HTTP/1.1\r\nX: ", b"a" * 40_000),
    "URL": (b"GET /", b"a" * 40_000),
    "trailers": (_POST + b"1\r\na\r\n0\r\n", b"a:b\r\n" * 8_000),
    "chunk extension": (_POST + b"1;x=", b"a" * 40_000),
}


@asynccontextmanager
async def opened(address: AttackAddress, number: int) -> AsyncIterator[list[AttackConnection]]:
    """Yield up to `number` connections, as many as are accepted."""
    async with AsyncExitStack() as stack:
        connections: list[AttackConnection] = []
        for _ in range(number):
            try:
                connections.append(await stack.enter_async_context(connected(address)))
            except NoAnswer:
                break
        yield connections


async def still_open(connections: list[AttackConnection], seconds: float) -> int:
    return sum(
        await asyncio.gather(*(connection.is_open_after(seconds) for connection in connections))
    )


async def hold_many(address: AttackAddress, number: int, seconds: float) -> int:
    """Open connections, send nothing, and return how many the server keeps for a time."""
    async with opened(address, number) as connections:
        return await still_open(connections, seconds)


async def drip(address: AttackAddress, what: str, seconds: float) -> bool:
    """Send one of `DRIPS` piece by piece; return whether the connection is open after a time."""
    begin, drop = DRIPS[what]
    clock = asyncio.get_running_loop().time
    async with connected(address) as connection:
        await connection.send(begin)
        end = clock() + seconds
        while clock() < end:
            if not await connection.send(drop) or not await connection.is_open_after(_PAUSE_S):
                return False
        return True


async def flood(address: AttackAddress, begin: bytes, piece: bytes, size: int) -> bool:
    """Send `piece` repeatedly; return whether so many bytes were taken and more are awaited."""
    async with connected(address) as connection:
        is_taken = await connection.send(begin)
        for _ in range(0, size, len(piece)):
            is_taken = is_taken and await connection.send(piece, _WRITE_S)
        return is_taken and await connection.is_open_after(0.3)


async def _answer(address: AttackAddress) -> bytes:
    """Return the lobby's answer on a new connection, b"" for none."""
    try:
        async with connected(address) as connection:
            await connection.send(head())
            return await connection.hear(5.0) or b""
    except NoAnswer:
        return b""


@attack("resources", "H6")
async def hold_idle_connections(target: AttackTarget) -> Outcome:
    """Open many idle connections from one address, to lock out other clients."""
    address = target.traffic.address(target.lobby.origin)
    async with opened(address, _IDLE) as connections:
        held = await still_open(connections, 1.0)
        answer = await _answer(address)
    if answer.startswith(_OK):
        return refused(f"with {held} of {_IDLE} idle connections the lobby still answers")
    if answer.startswith(_FULL):
        return refused(f"after {held} idle connections the lobby accepts no more of this address")
    return succeeded(f"with {held} idle connections the lobby does not answer")


@attack("resources", "H6", is_slow=True)
async def stay_silent(target: AttackTarget) -> Outcome:
    """Open connections without sending anything, to occupy them indefinitely."""
    held = await hold_many(target.traffic.address(target.lobby.origin), _SILENT, _WATCH_S)
    if held:
        return succeeded(f"{held} of {_SILENT} were still open after {_WATCH_S:.0f} s")
    return refused(f"none of {_SILENT} was open after {_WATCH_S:.0f} s")


@attack("resources", "H6", is_slow=True)
async def send_slow_header(target: AttackTarget) -> Outcome:
    """Send a request's header, or line breaks before it, byte by byte and never end it."""
    address, whats = target.traffic.address(target.lobby.origin), ("head", "line breaks")
    held = await asyncio.gather(*(drip(address, what, _WATCH_S) for what in whats))
    if any(held):
        return succeeded(f"the connection was still open after {_WATCH_S:.0f} s")
    return refused(f"{len(whats)} connections were closed within {_WATCH_S:.0f} s")


@attack("resources", "H7")
async def send_endless_header(target: AttackTarget) -> Outcome:
    """Send requests with a megabyte of headers, of one header, of URL or of trailers."""
    address = target.traffic.address(target.lobby.origin)
    whats = [what for what in FLOODS if what != "chunk extension"]  # counts as a body
    taken = [what for what in whats if await flood(address, *FLOODS[what], _MEGABYTE)]
    if taken:
        return succeeded(f"the lobby read 1 MiB ({', '.join(taken)}) and waits for more")
    return refused(f"{len(whats)} connections were closed before 1 MiB was read")


@attack("resources", "H8")
async def hold_many_streams(target: AttackTarget) -> Outcome:
    """Open many streams of the lobby at once from one address."""
    async with opened(target.traffic.address(target.lobby.origin), _STREAMS) as connections:
        for connection in connections:
            await connection.send(head("GET /v1/stream"))
        heads = await asyncio.gather(*(connection.hear(3.0) for connection in connections))
    streams = sum((head or b"").startswith(_OK) for head in heads)
    if streams == _STREAMS:
        return succeeded(f"all of {_STREAMS} streams of one address were accepted")
    return refused(f"{streams} of {_STREAMS} streams were accepted")


@attack("resources", "27-C1")
async def send_large_body(target: AttackTarget) -> Outcome:
    """Announce a body of 900 KB to each agent, without a token, and send part of it."""
    fields = ("Content-Type: application/json", "A2A-Version: 1.0", f"Content-Length: {_LARGE}")
    waiting: list[str] = []
    for agent in target.agents:
        async with connected(target.traffic.address(agent.origin)) as connection:
            path = urlsplit(agent.url(RPC_PATH)).path
            await connection.send(head(f"POST {path}", *fields) + b" " * _PART, _WRITE_S)
            if await connection.hear(2.0) is None:
                waiting.append(agent.name)
    if waiting:
        return succeeded(f"{', '.join(waiting)} wait for all of {_LARGE} bytes without a token")
    return refused(f"{len(target.agents)} agents answered after {_PART} of {_LARGE} bytes")


@attack("input", "M12")
async def send_deep_body(target: AttackTarget) -> Outcome:
    """Send JSON nested 10,000 levels deep, to get an internal error."""
    deep = b'{"a":' * _DEEP + b"1" + b"}" * _DEEP
    paths = ("/a2a/jsonrpc", "/a2a/rest/message:send")
    faults: list[str] = []
    for agent in target.agents:
        for path in paths:
            try:
                answer = await target.traffic.send(
                    "POST", agent.url(path), headers=HEADERS, content=deep
                )
            except NoAnswer:
                faults.append(f"{agent.name} gave no answer at {path}")
                continue
            faults += _internal_errors(agent.name, answer.status, answer.body)
    if faults:
        return succeeded(faults[0])
    return refused(f"{len(target.agents) * len(paths)} bodies were refused without internal errors")


def _internal_errors(name: str, status: int, body: bytes) -> list[str]:
    if status >= 500:  # noqa: PLR2004  server errors start there
        return [f"{name} answered with HTTP {status}"]
    words = body.lower()
    if b"recursion" in words or b"traceback" in words:
        return [f"{name} answered with a Python traceback"]
    try:
        error = orjson.loads(body).get("error", {})
    except (ValueError, AttributeError):
        return []
    is_internal = isinstance(error, dict) and error.get("code") == -32603  # noqa: PLR2004  JSON-RPC
    return [f"{name} answered with an internal error"] if is_internal else []
