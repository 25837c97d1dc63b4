"""A client of the Boardgame Protocol in one process: it checks or calls at many seats.

`python bench/agents/gateway_client.py URL` reads one seat per line of standard input, as JSON of
the reply of `POST /bgp/seats`, then answers each pushed question over a WebSocket per seat.
"""

import asyncio
import sys
from typing import Any

import orjson
import uvloop
from websockets.asyncio.client import connect

PASSIVE = ("check", "call")
"""What it does, by what is offered first."""


async def play(url: str, seat: dict[str, str]) -> None:
    """Answer the questions of a seat until the gateway closes."""
    core = {"version": "1.0.0", "type": "perform_action"} | {
        name: seat[name] for name in ("game", "match_id", "agent_id")
    }
    headers = {"Authorization": f"Bearer {seat['token']}"}
    async with connect(url, additional_headers=headers, compression=None) as socket:
        async for text in socket:
            message = orjson.loads(text)
            if message["type"] != "push_message":
                continue
            data = message["message_response"]["data"]
            if data["event"] == "action_requested":
                action = {"type": _choice(data["payload"]), "data": {}}
                await socket.send(orjson.dumps({**core, "action": action}).decode())


def _choice(question: dict[str, Any]) -> str:
    offered = {offer["action_type"].lower(): offer for offer in question["available_actions"]}
    kind: str = next(offered[kind]["action_type"] for kind in PASSIVE if kind in offered)
    return kind


async def main(url: str, seats: list[dict[str, str]]) -> None:
    """Play all seats."""
    await asyncio.gather(*(play(url, seat) for seat in seats))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], [orjson.loads(line) for line in sys.stdin]))
