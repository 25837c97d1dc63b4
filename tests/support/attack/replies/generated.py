"""Generated replies, reproducible by their seed."""

import asyncio
import gzip
import itertools
import json
import random
from collections.abc import Callable
from typing import Any

from support.attack.replies.frames import FOLD, Attack, nested, written
from support.envelopes import Call, with_deep_data

STATUSES = (b"200 OK", b"200 OK", b"201 X", b"204 No", b"301 M", b"307 T", b"400 B", b"404 N",
            b"413 L", b"500 E", b"503 U", b"999 ?", b"100 C", b"101 S", b"000 Z")  # fmt: skip
LETTERS = "aZ09{}[]\"'`\\/ \n\t\r:,.-_é漢😀\u202e\x00\x1b"
KEYS = (
    "action", "amount", "message", "reasoning", "parts", "data", "text", "id", "result", "task",
    "contextId", "status", "state", "error", "code", "metadata", "kind", "artifacts",
)  # fmt: skip


class Generator:
    """Makes the replies of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self, most: int) -> str:
        """Return a text, mostly a short one."""
        size = int(max(1, most) ** self.random.random())
        if self.random.random() < 0.3:
            return self.random.choice(LETTERS) * size
        return "".join(self.random.choices(LETTERS, k=min(size, 2_000)))

    def value(self, size: int = 2_000_000) -> Any:
        """Return a JSON value of at most about so many characters."""
        pick = self.random.random()
        if size < 20 or pick < 0.5:
            return self.random.choice(
                [None, True, 0, -1, 2**53, 10**30, 1.5, 1e300, "fold", "call", self.text(size)]
            )
        length = int(min(size / 10, 30_000) ** self.random.random())
        if pick < 0.75:
            return [self.value(size // max(1, length))] * length
        length = min(length, 20)
        return {
            self.random.choice([*KEYS, self.text(30)]): self.value(size // max(1, length))
            for _ in range(length)
        }

    def reply(self, call: Call) -> Any:
        """Return a reply that is almost correct."""
        answer = self.random.choice([FOLD, {"action": "call"}, self.value(), self.value()])
        makers: list[Callable[[], dict[str, Any]]] = [
            lambda: call.answer(answer),
            lambda: call.text(json.dumps(answer)),
            lambda: call.text(f"{self.text(2_000)}```json\n{json.dumps(answer)}\n```"),
            lambda: call.task("completed", artifacts=[{"parts": [call.part("data", answer)]}]),
            lambda: call.task(self.random.choice(["working", "failed", "odd"])),
            lambda: call.refusal(self.value(), self.value(), self.value())[1],
        ]
        reply = self.random.choice(makers)()
        if self.random.random() < 0.3:
            self.spoil(reply)
        return reply

    def spoil(self, node: Any) -> None:
        """Replace something somewhere in a reply."""
        while isinstance(node, dict) and node:
            key = self.random.choice(list(node))
            if not isinstance(node[key], dict) or not node[key] or self.random.random() < 0.3:
                node[key] = self.value()
                return
            node = node[key]

    def body(self, call: Call) -> bytes:
        """Return the bytes of a reply."""
        body = json.dumps(self.reply(call)).encode(errors="surrogatepass")
        pick = self.random.random()
        if pick < 0.1:
            body = with_deep_data(call, nested(int(2_000 ** self.random.random())))
        elif pick < 0.2:
            body = body[: self.random.randrange(len(body) + 1)]
        elif pick < 0.3:
            at = self.random.randrange(len(body))
            body = body[:at] + self.random.randbytes(self.random.randrange(30)) + body[at + 1 :]
        elif pick < 0.35:
            body = self.random.randbytes(int(100_000 ** self.random.random()))
        elif pick < 0.4:
            body = body * self.random.randrange(1, 50)
        return body

    def framed(self, body: bytes) -> bytes:
        """Return the body as HTTP, well-formed or not."""
        status = b"200 OK" if self.random.random() < 0.8 else self.random.choice(STATUSES)
        lines = [b"HTTP/1.1 " + status]
        pick = self.random.random()
        if pick < 0.1:
            lines += [b"X-%d: y" % n for n in range(int(10_000 ** self.random.random()))]
        elif pick < 0.15:
            lines.append(b"X: " + b"y" * int(1_000_000 ** self.random.random()))
        elif pick < 0.2:
            encoding = self.random.choice([b"gzip", b"deflate", b"br", b"zstd", b"identity", b"?"])
            lines.append(b"Content-Encoding: " + encoding)
            body = gzip.compress(body) if encoding == b"gzip" else body
        elif pick < 0.25:
            lines.append(b"Location: " + self.text(300).encode(errors="replace"))
        framing = self.random.random()
        if framing < 0.6:
            lines.append(b"Content-Length: %d" % len(body))
        elif framing < 0.75:
            lines.append(b"Transfer-Encoding: chunked")
            size = int(100_000 ** self.random.random())
            pieces = [body[at : at + size] for at in range(0, len(body), size)]
            body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
            body += self.random.choice([b"0\r\n\r\n", b"", b"zz\r\n", b"0\r\nX: y\r\n\r\n"])
        elif framing < 0.85:
            lines.append(b"Content-Length: %d" % self.random.choice([0, 1, 10**7, 10**18]))
        else:
            lines.append(b"Connection: close")
        reply = b"\r\n".join([*lines, b"", body])
        if self.random.random() < 0.1:
            informational = b"HTTP/1.1 100 Continue\r\n\r\n"
            reply = informational * int(50_000 ** self.random.random()) + reply
        return reply


def fuzzed(seed: int) -> Attack:
    """Return the attack of a seed; each call gets another reply."""
    generators = itertools.count()

    async def attack(_: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call) -> None:
        made = Generator(seed * 1_000 + next(generators))
        # In a thread, where the calls that a decision takes are not counted.
        reply = await asyncio.to_thread(lambda: made.framed(made.body(call)))
        slow = made.random.random()
        if slow < 0.1:  # in a few pieces, the last of which may come too late
            cut = made.random.randrange(len(reply) + 1)
            await written(writer, reply[:cut])
            await asyncio.sleep(made.random.choice([0.01, 0.1, 0.5]))  # virtual: the attack
            reply = reply[cut:]
        elif slow < 0.13:
            for byte in reply[:100]:
                writer.write(bytes([byte]))
                await asyncio.sleep(0.01)  # virtual: the attack
        await written(writer, reply)
        if made.random.random() < 0.3:
            raise ConnectionError  # closes

    return attack
