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
from a2a.types import SendMessageRequest, Task
from google.protobuf.json_format import ParseDict

from support.attack.replies.frames import http
from support.players.grpc_agent import AnyMethod, grpc_card, says, task

MEGABYTE = 2**20
HONEST = says({"text": '{"action": "fold"}'})
ATTACKS = (
    "honest", "hang", "large", "larger", "bomb", "many-lists", "many-parts", "deep", "metadata",
    "long-text", "working", "silent", "page", "endless",
)  # fmt: skip
_EMPTY_LISTS = 10_000
_DEEP = 30
_silent_ports: dict[str, int] = {}


def _field(number: int, content: bytes) -> bytes:
    """Return a field of protobuf's wire format with a length."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    written = b""
    while number > 127:
        written += bytes([number & 127 | 128])
        number >>= 7
    return written + bytes([number])


def _text(length: int) -> bytes:
    """Return a reply with a text."""
    part = _field(5, _field(1, b"x" * length))
    return _field(2, _field(1, b"m") + part)


@cache
def _replies() -> dict[str, bytes]:
    """Return the attacks that are one reply each."""
    deep: Any = 1
    for _ in range(_DEEP):
        deep = [deep]
    lists = _field(1, _field(6, b"")) * _EMPTY_LISTS  # of a value: each takes four bytes
    return {
        "large": _text(MEGABYTE),
        "larger": _text(100 * MEGABYTE),
        "bomb": _text(30 * MEGABYTE),
        "many-lists": _field(2, _field(1, b"m") + _field(5, _field(4, _field(6, lists)))),
        "many-parts": _field(2, _field(1, b"m") + _field(5, b"") * (2 * _EMPTY_LISTS)),
        "deep": says({"data": {"action": deep}}),
        "long-text": says({"text": "{" * 40_000}),
        "working": task("TASK_STATE_WORKING"),
    }


WORKING = ParseDict(
    {"id": "t-1", "status": {"state": "TASK_STATE_WORKING"}}, Task()
).SerializeToString()


async def reply(name: str, request: bytes, context: Any) -> bytes:
    """Answer by the attack that the request's tenant names."""
    if name != "SendMessage":
        return WORKING
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
    """Serve until standard input ends."""
    _replies()  # before the clock of a call runs
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0), ("grpc.max_metadata_size", 2**24)])
    server.add_generic_rpc_handlers((AnyMethod(reply),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    for name, connected in (("silent", silent), ("page", page), ("endless", endless)):
        raw = await asyncio.start_server(connected, "127.0.0.1", 0)
        _silent_ports[name] = raw.sockets[0].getsockname()[1]

    async def serve_card(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        attack = head.decode().split("/")[1]
        content = grpc_card(f"127.0.0.1:{_silent_ports.get(attack, port)}")
        content["supportedInterfaces"][0]["tenant"] = attack
        writer.write(http(json.dumps(content).encode(), b"200 OK", b"Connection: close"))
        await writer.drain()
        writer.close()

    cards = await asyncio.start_server(serve_card, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{cards.sockets[0].getsockname()[1]}"
    sys.stdout.write(json.dumps({"url": url}) + "\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.buffer.read)
    await server.stop(None)


if __name__ == "__main__":
    asyncio.run(main())
