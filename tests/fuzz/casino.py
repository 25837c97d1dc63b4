"""The casino that is fuzzed: as it is delivered, on real sockets, behind the kit's own server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from casino_agentkit.protocol import CARD_PATH
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from fuzz.typed_calls import AgentName, Places
from support.attack.arena import Arena, Parts, arena

SOON = timedelta(seconds=1)
LIMITS = replace(DEFAULT_LIMITS, first_byte=SOON, head=SOON, body=SOON)
"""Those of production, but for a second instead of ten or thirty: so that what is never finished
ends soon."""


@asynccontextmanager
async def fuzzed_casino(data: Path) -> AsyncIterator[Arena]:
    """Open a casino that plays; everything ends with it."""
    lobby: dict[str, Any] = {
        "database": None,
        "data": data,
        "commands_per_minute": 0,  # the fuzzer would be refused everything after a second
        "streams_per_address": 0,
        "signup_timeout": SOON,
        "closed_rooms_kept": SOON,
        "rooms": 8,
        "call_addresses": "loopback",
    }
    tables = {"data": data / "tables", "call_addresses": "loopback"}  # in memory hands would add up
    async with arena(Parts(lobby=lobby, tables=tables, limits=LIMITS)) as casino:
        yield casino


def places_of(casino: Arena) -> Places:
    table = f"{casino.tables_url}/tables/2{CARD_PATH}"
    return Places(casino.lobby_url + CARD_PATH, table, casino.players["Tight"])


def ports_of(casino: Arena) -> dict[AgentName, int]:
    urls: dict[AgentName, str] = {
        "lobby": casino.lobby_url,
        "table": casino.tables_url,
        "player": casino.players["Tight"].removesuffix(CARD_PATH),
    }
    return {name: int(url.rpartition(":")[2]) for name, url in urls.items()}
