"""Player agents, each of which answers every call with the bytes of one attack.

They listen on a raw socket, in the loop of a test or in a process. `/BINDING/ATTACK/...` is an
agent of its own, with a card, that speaks one binding and answers every call by an attack of
`support.attack.replies.catalogue`; one of `seated.ATTACK` signs up as anybody would, and attacks
afterwards.
"""

import asyncio
import json
import re
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from support.attack.replies.catalogue import ATTACKS, CARD_ATTACKS, Attack, dumps, http
from support.envelopes import EXTENSION, Call, card

CARD_PATH = "/.well-known/agent-card.json"


async def read_request(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, Any]]:
    """Return method, path and JSON body of the next request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    method, path, _ = head.split(" ", 2)
    found = re.search(r"(?i)^content-length: (\d+)", head, re.MULTILINE)
    length = int(found[1]) if found else 0
    body = await reader.readexactly(length)
    return method, path, json.loads(body) if body else {}


def skill_of(path: str, body: dict[str, Any]) -> str:
    """Return the skill that a call names."""
    if path.endswith("/invoke"):
        return path.split("/")[-2]
    message = body.get("params", body)["message"]
    return str(message["metadata"][EXTENSION]["skill"])


class HostileAgents:
    """The agents on one port, and how many bytes they have sent."""

    def __init__(self, attack_of: Callable[[str], Attack] = ATTACKS.__getitem__) -> None:
        self._attack_of = cache(attack_of)
        self.url = ""
        self.sent = 0
        self.most: float = float("inf")
        """Having sent so many bytes, they close the connection."""
        self._tasks: set[asyncio.Task[None] | None] = set()

    @property
    def open(self) -> int:
        """Connections that are open now."""
        return len(self._tasks)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Serve on a free port of this machine."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**22)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield
        finally:
            server.close()
            ending = [task for task in self._tasks if task is not None]
            for task in ending:
                task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, raw: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        # What is sent is little more than what is read: the system keeps but little of it.
        raw.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**16)
        writer, task = _CountedWriter(raw, self), asyncio.current_task()
        self._tasks.add(task)
        try:
            while True:
                await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            raw.close()
            self._tasks.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: Any) -> None:
        method, path, body = await read_request(reader)
        _, binding, name, *_ = path.split("/")
        base = f"{self.url}/{binding}/{name}"
        if name in CARD_ATTACKS:
            await CARD_ATTACKS[name](writer, base, path)
        elif method == "GET" and path.endswith(CARD_PATH):
            writer.write(http(dumps(card(binding, base))))
        else:
            seated, dot, attack = name.partition(".")
            call = Call(binding, body.get("id"))
            if dot and skill_of(path, body) == "signup":
                writer.write(http(dumps(call.answer({"displayName": attack}))))
            else:
                await self._attack_of(attack if dot else seated)(reader, writer, call)
        await writer.drain()


class _CountedWriter:
    """A writer whose bytes are counted, and at the most of them the connection closes."""

    def __init__(self, writer: asyncio.StreamWriter, agents: HostileAgents) -> None:
        self._writer = writer
        self._agents = agents

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def write(self, data: bytes) -> None:
        """Send, unless it was too much already."""
        if self._agents.sent > self._agents.most:
            raise ConnectionResetError
        self._agents.sent += len(data)
        self._writer.write(data)


async def main() -> None:
    agents = HostileAgents()
    async with agents.listening():
        sys.stdout.write(json.dumps({"url": agents.url, "cards": [agents.url]}) + "\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.buffer.read)  # ends with the test


if __name__ == "__main__":
    asyncio.run(main())
