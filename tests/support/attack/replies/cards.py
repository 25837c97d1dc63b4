"""Hostile answers to requests for an agent card."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache

from support.attack.replies.frames import CHUNKED, dumps, http, written

CardAttack = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str, str], Awaitable[None]]


async def slow_redirect(
    _: asyncio.StreamReader, writer: asyncio.StreamWriter, base: str, path: str
) -> None:
    """Answer each request for a card just before its timeout, with another redirect."""
    await asyncio.sleep(0.25)  # virtual: the attack
    writer.write(http(b"", b"302 Found", f"Location: {base}/{len(path)}.json".encode()))


async def slow_nothing(
    _: asyncio.StreamReader, writer: asyncio.StreamWriter, _base: str, _path: str
) -> None:
    """Answer each request for a card late, with an empty object and 404."""
    await asyncio.sleep(0.25)  # virtual: the attack
    writer.write(http(b"{}", b"404 Not Found"))


async def dripping_card(
    _: asyncio.StreamReader, writer: asyncio.StreamWriter, _base: str, _path: str
) -> None:
    """Send an endless card."""
    writer.write(CHUNKED)
    while True:
        await written(writer, b"1\r\n \r\n")
        await asyncio.sleep(0.02)  # virtual: the attack


async def wide_card(
    _: asyncio.StreamReader, writer: asyncio.StreamWriter, base: str, _path: str
) -> None:
    """Send a card with very many values."""
    writer.write(_wide_card(base))


@cache
def _wide_card(base: str) -> bytes:
    params = {"games": [{"a": n} for n in range(15_000)]}
    extension = {"uri": "urn:a2a-casino:typed-entrypoints:v1", "params": params}
    interface = {"url": f"{base}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    card = {
        "name": "Wide",
        "supportedInterfaces": [interface] * 1_000,
        "capabilities": {"extensions": [extension]},
        "skills": [{"id": f"s{n}"} for n in range(3_000)],
    }
    return http(dumps(card))


CARD_ATTACKS: dict[str, CardAttack] = {
    "card-redirects": slow_redirect,
    "card-missing": slow_nothing,
    "card-drips": dripping_card,
    "card-wide": wide_card,
}
