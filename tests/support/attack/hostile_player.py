"""A player with one fault: `python -m support.attack.hostile_player HOW`.

Its `act` does not use the kit. It signs up as anybody would, and then answers every `act` by `HOW`.
"""

import asyncio
import json
import sys
from typing import Any

from aiohttp import web

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"
MEGABYTE = "x" * 2**20
LATE_S = 3.0
"""How long a late answer takes; the clock of its table is one second."""
ANSWERS: dict[str, Any] = {
    "illegal-kind": {"action": "check-raise"},
    "illegal-action": {"action": "bet", "amount": 4},
    "under-raise": {"action": "raise", "amount": 1},
    "non-integer-amount": {"action": "raise", "amount": 10.5},
    "text-amount": {"action": "raise", "amount": "all of it"},
    "negative-amount": {"action": "raise", "amount": -50},
    "huge-amount": {"action": "raise", "amount": 10**30},
    "list": ["fold"],
}


def reply(call_id: Any, data: Any) -> dict[str, Any]:
    """Return a well-formed reply around some data."""
    message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"data": data}]}
    return {"jsonrpc": "2.0", "id": call_id, "result": {"message": message}}


Call = dict[str, Any]


async def hang(_request: web.Request, _call: Call) -> web.StreamResponse:
    """Never answer."""
    await asyncio.sleep(3600)
    raise AssertionError


async def late(_request: web.Request, call: Call) -> web.StreamResponse:
    """Answer correctly, but long after the clock: a table may read what came with its end."""
    await asyncio.sleep(LATE_S)
    return web.json_response(reply(call["id"], {"action": "call"}))


async def endless(request: web.Request, _call: Call) -> web.StreamResponse:
    """Send an endless answer."""
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(MEGABYTE.encode())


async def close(request: web.Request, _call: Call) -> web.StreamResponse:
    """Close the connection."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


SLOW = {"hang": hang, "late": late, "endless": endless, "close": close}


def at_once(how: str, call_id: Any) -> web.Response:
    """Return a bad answer that takes no time."""
    error = {"code": -32000, "message": "no", "data": [{"@type": 1}]}
    answers = {
        "garbage": lambda: web.Response(body=b"\x00\xff\x00<<<>>>"),
        "prose": lambda: web.json_response(reply(call_id, "I would rather not say.")),
        "http-500": lambda: web.Response(status=500, text="Traceback: everything is on fire"),
        "ten-megabytes": lambda: web.json_response(
            reply(call_id, {"action": "call", "pad": [MEGABYTE] * 10})
        ),
        "wrong-id": lambda: web.json_response(reply("another", {"action": "call"})),
        "rpc-error": lambda: web.json_response({"jsonrpc": "2.0", "id": call_id, "error": error}),
        "deep": lambda: web.Response(body=b'{"a":' * 100_000, content_type="application/json"),
    }
    if how in ANSWERS:
        return web.json_response(reply(call_id, ANSWERS[how]))
    return answers[how]()


async def serve(how: str) -> None:
    """Serve until killed."""

    async def card(request: web.Request) -> web.Response:
        advertised = "http://127.0.0.1:1" if how == "wrong-url" else f"http://{request.host}"
        url = f"{advertised}/rpc"
        return web.json_response(
            {
                "name": how,
                "supportedInterfaces": [
                    {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
                ],
                "capabilities": {"extensions": [{"uri": EXTENSION}]},
                "skills": [{"id": "signup"}, {"id": "act"}],
            }
        )

    async def rpc(request: web.Request) -> web.StreamResponse:
        call = await request.json()
        if call["params"]["message"]["metadata"][EXTENSION]["skill"] == "signup":
            return web.json_response(reply(call["id"], {"displayName": how}))
        return await SLOW[how](request, call) if how in SLOW else at_once(how, call["id"])

    app = web.Application()
    app.add_routes([web.get("/.well-known/agent-card.json", card), web.post("/rpc", rpc)])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = runner.addresses[0]
    base = f"http://{url[0]}:{url[1]}"
    announced = {"url": base, "cards": [f"{base}/.well-known/agent-card.json"]}
    sys.stdout.write(json.dumps(announced) + "\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.buffer.read)  # the lifeline


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[-1]))
