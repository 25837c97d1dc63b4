"""Check that the agents of `--seat` can be called, before anything is started."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from casino_agentkit import (
    AgentClient,
    AgentError,
    Disconnected,
    HttpTransport,
    ProtocolFault,
    TimedOut,
    Transport,
    Unreachable,
)
from casino_contracts.player_messages import CARD_TIMEOUT


async def unusable_seats(card_urls: Sequence[str], transport: Transport | None = None) -> list[str]:
    """Return a sentence for each agent that cannot be called, in the order of the URLs."""
    transport = transport or HttpTransport()
    client = AgentClient(transport)
    try:
        faults = await asyncio.gather(*(_fault(client, transport, url) for url in card_urls))
    finally:
        await client.close()
    return [fault for fault in faults if fault]


async def _fault(client: AgentClient, transport: Transport, url: str) -> str | None:
    try:
        peer = await client.resolve(url, timeout=CARD_TIMEOUT)
        await _knock(transport, url, peer.url)
    except Unreachable as error:
        return _sentence(url, "cannot be reached", error)
    except TimedOut as error:
        return _sentence(url, "does not answer", error)
    except AgentError as error:
        return _sentence(url, "is no agent that can play", error)
    return None


async def _knock(transport: Transport, url: str, address: str) -> None:
    """Send the card's address a GET, which any answer satisfies; raises Unreachable without one."""
    if not address.startswith(("http:", "https:")):
        return
    try:
        with suppress(Disconnected, ProtocolFault, TimedOut):
            await transport.send("GET", address, {}, b"", CARD_TIMEOUT.total_seconds())
    except Unreachable as error:
        raise Unreachable(
            url,
            f"its card advertises {address}, which cannot be reached from here"
            f" ({error.message}): advertise an address that others can reach",
        ) from error


def _sentence(url: str, what: str, error: AgentError) -> str:
    at = "" if error.agent.rstrip("/") == url.rstrip("/") else f"{error.agent}: "
    return f"--seat {url} {what}: {at}{error.message}"
