"""Check that the agents of `--seat` can be called, before anything is started."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from casino_agentkit import AgentClient, AgentError, TimedOut, Transport, Unreachable

_TIMEOUT = timedelta(seconds=5)


async def unusable_seats(card_urls: Sequence[str], transport: Transport | None = None) -> list[str]:
    """Return a sentence for each agent whose card cannot be used, in the order of the URLs."""
    client = AgentClient(transport)
    try:
        faults = await asyncio.gather(*(_fault(client, url) for url in card_urls))
    finally:
        await client.close()
    return [fault for fault in faults if fault]


async def _fault(client: AgentClient, url: str) -> str | None:
    try:
        await client.resolve(url, timeout=_TIMEOUT)
    except Unreachable as error:
        return _sentence(url, "cannot be reached", error)
    except TimedOut as error:
        return _sentence(url, "does not answer", error)
    except AgentError as error:
        return _sentence(url, "is no agent that can play", error)
    return None


def _sentence(url: str, what: str, error: AgentError) -> str:
    at = "" if error.agent.rstrip("/") == url.rstrip("/") else f"{error.agent}: "
    return f"--seat {url} {what}: {at}{error.message}"
