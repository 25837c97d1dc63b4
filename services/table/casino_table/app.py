"""The composition root of a table process."""

import asyncio
import random
import secrets
from collections.abc import Callable

from casino_agentkit import AgentClient, Service, Transport
from casino_agentkit.wire import CARD_PATH

from casino_table import __version__
from casino_table.announcer import Announcer
from casino_table.clock import Clock
from casino_table.disk_log import DiskLog
from casino_table.entrypoints import table_agent
from casino_table.host import House, TableHost
from casino_table.journal import Log, MemoryLog
from casino_table.settings import TableSettings

SECRET_KEYS = ("holeCards", "seed", "deck", "secret", "reasoning", "authorization")
"""What never stands in a log."""


def build_app(
    settings: TableSettings,
    url: str,
    *,
    transport: Transport | None = None,
    clock: Clock | None = None,
    rng: random.Random | None = None,
    entropy: Callable[[], str] = lambda: secrets.token_hex(32),
) -> Service:
    """Return the service that is reached at `url`.

    Tests give it a transport, a clock and chances of their own. Raises JournalFailed.
    """
    clock = clock or Clock()
    client = AgentClient(transport, clock=clock.now)
    rng = rng or random.Random()  # noqa: S311  spreads retries, deals no cards
    house = House(client, clock, rng, entropy, settings.max_undelivered)
    logs = [_log(settings, number) for number in range(1, settings.count + 1)]
    hosts = [TableHost(house, log) for log in logs]
    paths = [""] if settings.count == 1 else [f"/tables/{n + 1}" for n in range(settings.count)]
    names = (
        [settings.name]
        if settings.count == 1
        else [f"{settings.name} {n + 1}" for n in range(settings.count)]
    )

    async def announce() -> None:
        if settings.lobby_url:
            tables = {url + path + CARD_PATH: host for path, host in zip(paths, hosts, strict=True)}
            await Announcer(
                client, settings.lobby_url, tables, clock, rng, settings.announce_every
            ).run()

    async def resume() -> None:
        await asyncio.gather(*(host.resume() for host in hosts))

    async def drain() -> None:
        await asyncio.gather(*(host.drain(settings.drain_timeout) for host in hosts))

    async def stop() -> None:
        await asyncio.gather(*(host.stop() for host in hosts))
        await client.close()

    return Service(
        {
            path: table_agent(host, name, __version__)
            for path, host, name in zip(paths, hosts, names, strict=True)
        },
        public_url=settings.public_url,
        start=resume,
        beside=announce,
        drain=drain,
        stop=stop,
    )


def _log(settings: TableSettings, number: int) -> Log:
    """Return where a table's journal is kept; raises JournalFailed."""
    if settings.data is None:
        return MemoryLog()
    path = settings.data / f"table-{number}.journal"
    return DiskLog(path, synchronous=settings.synchronous)
