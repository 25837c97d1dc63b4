"""Replies of a hostile player, each made of a seed: almost right, and spoilt anywhere."""

import asyncio
import itertools
import json
import random
from collections.abc import Callable
from typing import Any

from fuzz.paths.replies import LINES, changed
from fuzz.values import SPOILT, encoded, mutated, odd
from support.attack.replies.catalogue import FOLD, Attack, written
from support.envelopes import Call
from support.replies.framing import with_headers

STATUSES = (b"200 OK", b"200 OK", b"200 OK", b"200 OK", b"201 X", b"301 M", b"400 B", b"413 L",
            b"500 E", b"999 ?", b"100 C", b"101 S", b"000 Z")  # fmt: skip
_MANY = 30_000


def body_of(rng: random.Random, call: Call) -> bytes:
    many: list[Any] = [rng.choice((1, "", None, [], {}))] * rng.randint(0, _MANY)
    answer = rng.choice((FOLD, {"action": "call"}, odd(rng), many))
    makers: tuple[Callable[[], dict[str, Any]], ...] = (
        lambda: call.answer(answer),
        lambda: call.text(encoded(answer).decode()),
        lambda: call.text(f"So:\n```json\n{encoded(answer).decode()}\n```"),
        lambda: call.task("completed", artifacts=[{"parts": [call.part("data", answer)]}]),
        lambda: call.task(rng.choice(("working", "failed", "odd"))),
        lambda: call.refusal(odd(rng), odd(rng), odd(rng))[1],
    )
    whole = rng.choice(makers)()
    body = encoded(mutated(rng, whole) if rng.random() < 0.4 else whole)
    if rng.random() < 0.3:
        body = rng.choice(SPOILT)(rng, body)
    return body * rng.randint(2, 50) if rng.random() < 0.05 else body


def reply_to(rng: random.Random, call: Call) -> bytes:
    """Return the body as HTTP, framed well or not."""
    lines = rng.sample(LINES, rng.choice((0, 0, 1, 2)))
    if rng.random() < 0.1:
        lines += [b"X: " + b"y" * int(1_000_000 ** rng.random())]
    reply = with_headers(*lines, status=rng.choice(STATUSES), body=body_of(rng, call))
    if rng.random() < 0.3:
        reply = changed(rng, reply)
    if rng.random() < 0.1:
        reply = b"HTTP/1.1 100 Continue\r\n\r\n" * int(50_000 ** rng.random()) + reply
    return reply


def fuzzed(name: str) -> Attack:
    """Return the attack of a seed; each call gets another reply. `honest` always folds."""
    numbers = itertools.count()

    async def attack(_: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call) -> None:
        if name == "honest":
            writer.write(with_headers(body=json.dumps(call.answer(FOLD)).encode()))
            return
        rng = random.Random(f"{name}/{next(numbers)}")
        # In a thread, where the calls that a decision takes are not counted.
        reply = await asyncio.to_thread(reply_to, rng, call)
        slow = rng.random()
        if slow < 0.1:  # in two pieces, the last of which may come too late
            cut = rng.randint(0, len(reply))
            await written(writer, reply[:cut])
            await asyncio.sleep(rng.choice((0.01, 0.1, 0.5)))  # virtual: the attack
            reply = reply[cut:]
        elif slow < 0.13:
            for byte in reply[:100]:
                writer.write(bytes([byte]))
                await asyncio.sleep(0.01)  # virtual: the attack
        await written(writer, reply)
        if rng.random() < 0.3:
            raise ConnectionError  # closes

    return attack
