"""Generated replies: the lean client and aiohttp's make the same of each, on kept connections."""

import asyncio
from collections import Counter
from typing import Final

from casino_agentkit import HttpTransport
from casino_agentkit.client.http.plain_http_client import _STALE_AFTER_S
from fuzz.paths.plan import CASES, Differences, numbers, tell, unlogged
from fuzz.paths.replies import Exchange, exchanges
from support.loops.virtual_loop import loop
from support.replies.server import ReplyServer, reply_server, turns
from support.replies.verdict import Verdict, transports, verdict

TIMEOUT_S: Final = 20.0
_TURNS = 12
"""Turns of the loop without an end after which a call waits for what does not come."""


async def made_of(
    server: ReplyServer, transport: HttpTransport, case: list[Exchange]
) -> list[Verdict]:
    """Return what a client makes of each reply of a case; it connects anew."""
    made = []
    for number, exchange in enumerate(case):
        path = f"/{number}"
        server.replies[path] = exchange.reply
        if exchange.closes:
            server.close_all()
            await server.all_gone()
        loop().pass_time(exchange.wait_s)
        body = b"{}" if exchange.method in {"POST", "PUT"} else b""
        call = asyncio.ensure_future(
            verdict(transport, exchange.method, server.url + path, body, TIMEOUT_S)
        )
        for _ in range(_TURNS * (1 + len(exchange.reply))):
            await asyncio.sleep(0)
        if not call.done():
            loop().pass_time(TIMEOUT_S + 1)
        made.append(await call)
        await turns()
    await transport.close()
    await server.all_gone()
    return made


async def compare(server: ReplyServer, case: list[Exchange]) -> tuple[object, object] | None:
    """Return what the clients make of a case, and what they have asked, if it differs."""
    ends = []
    for transport in transports():
        server.requests.clear()
        made = await made_of(server, transport, case)
        # aiohttp repeats others also where a part of a reply has arrived, and never a POST; the
        # lean client does once, if nothing has arrived on a connection that may be stale.
        posts = [
            number
            for number, exchange in enumerate(case)
            if exchange.method == "POST" and (exchange.wait_s < _STALE_AFTER_S or exchange.closes)
        ]
        ends.append((made, [server.requests[f"/{number}"] for number in posts]))
    return None if ends[0] == ends[1] else (ends[0], ends[1])


async def test_replies() -> None:
    differences, found = Differences(), Counter[str]()
    with unlogged():
        async with reply_server({}) as server:
            for name, rng in numbers("replies", CASES):
                loop().begin_day()
                case = exchanges(rng)
                if ends := await compare(server, case):
                    differences.add(name, case, *ends)
                found["connections"] += 1
                found["replies"] += len(case)
    tell(f"{dict(found)}, {len(differences)} differences")
    assert not len(differences), str(differences)
