"""A process of player agents, each of which answers every call with the bytes of one attack.

It listens on a raw socket. `/BINDING/ATTACK/...` is an agent of its own, with a card, that speaks
one binding and answers every call by an attack of `support.attack.replies.catalogue`; one of
`seated.ATTACK` signs up as anybody would, and attacks afterwards.
"""

import asyncio
import json
import sys
from functools import cache
from typing import Any

from support.attack.replies.cards import CARD_ATTACKS
from support.attack.replies.catalogue import ATTACKS
from support.attack.replies.frames import Attack, http
from support.attack.replies.generated import fuzzed
from support.envelopes import EXTENSION, Call, card

CARD_PATH = "/.well-known/agent-card.json"


async def read_request(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, Any]]:
    """Return method, path and JSON body of the next request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    method, path, _ = head.split(" ", 2)
    length = 0
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            length = int(value)
    body = await reader.readexactly(length)
    return method, path, json.loads(body) if body else {}


@cache
def attack_of(name: str) -> Attack:
    """Return an attack by its name; `fuzz-SEED` is a generated one, different at each call."""
    kind, _, seed = name.partition("-")
    return fuzzed(int(seed)) if kind == "fuzz" else ATTACKS[name]


def skill_of(path: str, body: dict[str, Any]) -> str:
    """Return the skill that a call names."""
    if path.endswith("/invoke"):
        return path.split("/")[-2]
    message = body.get("params", body)["message"]
    return str(message["metadata"][EXTENSION]["skill"])


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    host, port = writer.get_extra_info("sockname")
    try:
        while True:
            method, path, body = await read_request(reader)
            _, binding, name, *_ = path.split("/")
            base = f"http://{host}:{port}/{binding}/{name}"
            if name in CARD_ATTACKS:
                await CARD_ATTACKS[name](reader, writer, base, path)
            elif method == "GET" and path.endswith(CARD_PATH):
                content = json.dumps(card(binding, base)).encode()
                head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content)
                writer.write(head + content)
            else:
                seated, dot, attack = name.partition(".")
                call = Call(binding, body.get("id"))
                if dot and skill_of(path, body) == "signup":
                    writer.write(http(json.dumps(call.answer({"displayName": attack})).encode()))
                else:
                    await attack_of(attack if dot else seated)(reader, writer, call)
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def main() -> None:
    """Serve until standard input ends."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=2**22)
    port = server.sockets[0].getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    sys.stdout.write(json.dumps({"url": url, "cards": [url]}) + "\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.buffer.read)  # ends with the test


if __name__ == "__main__":
    asyncio.run(main())
