"""A process of an agent that speaks gRPC, and answers by the attack that its tenant names.

`/ATTACK/...` has the card of an agent of its own.
"""

import asyncio
import json
import sys
from functools import cache
from typing import Any

import grpc
import grpc.aio
from a2a.types import Message, SendMessageRequest, SendMessageResponse, Task, TaskStatus
from google.protobuf.json_format import ParseDict

from support.attack.replies.catalogue import MEGABYTE, http
from support.players.grpc_agent import grpc_card, grpc_server, says, task

HONEST = says({"text": '{"action": "fold"}'})
ATTACKS = (
    "honest", "hang", "large", "larger", "bomb", "many-lists", "many-parts", "deep", "metadata",
    "long-text", "working", "silent", "page", "endless",
)  # fmt: skip
_MANY, _DEEP = 20_000, 30


@cache
def _replies() -> dict[str, bytes]:
    """Return the attacks that are one reply each."""
    deep: Any = 1
    for _ in range(_DEEP):
        deep = [deep]
    parts = Message(message_id="m")
    for _ in range(_MANY):
        parts.parts.add()
    return {
        "large": says({"text": "x" * MEGABYTE}),
        "larger": says({"text": "x" * (40 * MEGABYTE)}),
        "bomb": says({"text": "x" * (30 * MEGABYTE)}),
        "many-lists": says({"data": [[]] * (_MANY // 2)}),
        "many-parts": SendMessageResponse(message=parts).SerializeToString(),
        "deep": says({"data": {"action": deep}}),
        "long-text": says({"text": "{" * 40_000}),
        "working": task("TASK_STATE_WORKING"),
    }


async def reply(name: str, request: bytes, context: Any) -> bytes:
    """Answer by the attack that the request's tenant names."""
    if name != "SendMessage":
        working = {"state": "TASK_STATE_WORKING"}
        return Task(id="t-1", status=ParseDict(working, TaskStatus())).SerializeToString()
    attack = SendMessageRequest.FromString(request).tenant
    if attack == "hang":
        await asyncio.Event().wait()
    if attack == "bomb":
        context.set_compression(grpc.Compression.Gzip)
    if attack == "metadata":
        context.set_trailing_metadata((("x", "y" * MEGABYTE),))
    return _replies().get(attack, HONEST)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read everything, answer nothing."""
    while await reader.read(65_536):
        pass
    writer.close()


async def page(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer with a page of HTTP/1.1."""
    writer.write(http(b"hunter2"))
    await writer.drain()
    writer.close()


async def endless(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send settings of HTTP/2 without end."""
    try:
        while True:
            writer.write(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00" * 5_000)
            await writer.drain()
    except ConnectionError:
        pass


async def main() -> None:
    _replies()  # before the clock of a call runs
    ports: dict[str, int] = {}
    for connected in (silent, page, endless):
        raw = await asyncio.start_server(connected, "127.0.0.1", 0)
        ports[connected.__name__] = raw.sockets[0].getsockname()[1]

    async def serve_card(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        attack = head.decode().split("/")[1]
        content = grpc_card(f"127.0.0.1:{ports.get(attack, port)}")
        content["supportedInterfaces"][0]["tenant"] = attack
        writer.write(http(json.dumps(content).encode(), b"200 OK", b"Connection: close"))
        await writer.drain()
        writer.close()

    async with grpc_server(reply) as port:
        cards = await asyncio.start_server(serve_card, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{cards.sockets[0].getsockname()[1]}"
        sys.stdout.write(json.dumps({"url": url}) + "\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.buffer.read)


if __name__ == "__main__":
    asyncio.run(main())
