"""Processes that exchange typed calls import neither the SDK nor a database.

All are real processes: what they have imported is what `sys.modules` has in them.
"""

import asyncio
import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from support.casino.casino import Casino, process
from support.processes import wait_for

pytestmark = pytest.mark.full

UNUSED = {
    *("a2a", "google.protobuf", "grpc", "opentelemetry"),
    *("sqlalchemy", "alembic", "asyncpg", "aiosqlite"),
    *("cryptography", "httpx", "numpy", "jsonschema", "yaml", "rich"),
}
SERVICES = {
    "casino_player_example": (["caller"], {"CASINO_PLAYER_COUNT": "2"}),
    "casino_table": ([], {"CASINO_TABLE_COUNT": "2"}),
    "casino_lobby": ([], {"CASINO_LOBBY_DATABASE": "memory"}),
}


async def test_whole_hands_need_nothing(tmp_path: Path) -> None:
    """Cards, signup, decisions and events do; `tests/agentkit/process` has what is slow."""
    async with AsyncExitStack() as stack:
        running = {}
        for module, (arguments, settings) in SERVICES.items():
            command = [str(tmp_path / module), module, *arguments, "--port", "0"]
            running[module] = await stack.enter_async_context(
                process(module, "support.joined.module_report", command, settings=settings)
            )
        player, table, lobby = running.values()
        http = httpx.AsyncClient(base_url=lobby.url, trust_env=False)
        casino = Casino(await stack.enter_async_context(http))
        await casino.play(
            "first", "texas-holdem", list(player.cards), table=table.cards[0], maxHands=2
        )
        assert len((await casino.audit("first")).completed) == 2
        for module, service in running.items():
            os.kill(service.pid, signal.SIGUSR1)  # then it tells
            imported = await asyncio.to_thread(written_by, tmp_path / module)
            assert UNUSED & imported == set(), module


def written_by(file: Path) -> set[str]:
    """Return what a process has written, which it does once and for all."""
    wait_for(file.exists)
    return set(file.read_text().split())
