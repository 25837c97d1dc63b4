"""The composition root of a table process."""

import asyncio
import random
import secrets
from collections.abc import Callable
from pathlib import Path

from casino_agentkit import (
    AgentClient,
    CardSigner,
    HttpTransport,
    Service,
    Transport,
    policy_of,
)
from casino_agentkit.protocol import CARD_PATH
from casino_agentkit.server.card import CardPage
from prometheus_client import CollectorRegistry

from casino_table import __version__
from casino_table.api_a2a import table_agent
from casino_table.clock import Clock
from casino_table.delivery.announcer import Announcer
from casino_table.games import spec_routes
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.journal import JournalFailed, JournalHeld, Log
from casino_table.journal.memory_log import MemoryLog
from casino_table.metrics import TableMetrics
from casino_table.rules import TableRules
from casino_table.service import TableDependencies, TableService
from casino_table.settings import TableSettings

_SLOT, _MOST_SLOTS = "{slot}", 1000

SECRET_KEYS = (
    "holeCards",
    "seed",
    "deck",
    "secret",
    "reasoning",
    "authorization",
    "privateStates",
    "odds",
    "seatToken",
    "roomToken",
    "fleetKey",
)
"""What never stands in a log."""


def build_app(
    settings: TableSettings,
    url: str,
    *,
    transport: Transport | None = None,
    clock: Clock | None = None,
    rng: random.Random | None = None,
    entropy: Callable[[], str] = lambda: secrets.token_hex(32),
    rules_of: Callable[[TableService, str | None], TableRules] = TableRules,
) -> Service:
    """Return the service that is reached at `url`.

    Tests give it a transport, a clock, chances and rules of their own. Raises JournalFailed.
    """
    clock = clock or Clock()
    own = (settings.lobby_url, settings.public_url)
    policy = policy_of(settings.call_addresses, settings.host, own)
    http = transport or HttpTransport(policy, tls=settings.client_tls())
    client = AgentClient(http, clock=clock.now)
    rng = rng or random.Random()  # noqa: S311  spreads retries, deals no cards
    registry = CollectorRegistry()
    metrics = TableMetrics(registry)
    fleet_key = settings.fleet_key.get_secret_value() if settings.fleet_key else None
    dependencies = TableDependencies(client, clock, rng, entropy, metrics, settings.max_undelivered)
    hosts = [TableService(dependencies, log) for log in open_logs(settings)]
    metrics.watch([host.gauges for host in hosts])
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
                client, settings.lobby_url, tables, clock, rng, settings.announce_every, fleet_key
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
            path: table_agent(host, name, __version__, rules_of(host, fleet_key))
            for path, host, name in zip(paths, hosts, names, strict=True)
        },
        routes=spec_routes(),
        public_url=settings.public_url,
        guarded=lambda app: settings.guarded(app, url),
        signer=CardSigner.kept_at(_card_key(settings)),
        start=resume,
        beside=announce,
        drain=drain,
        stop=stop,
        registry=registry,
    )


def _card_key(settings: TableSettings) -> Path | None:
    if settings.card_key is not None or settings.data is None or _SLOT in str(settings.data):
        return settings.card_key
    return settings.data / "card-key.pem"


def card_of(settings: TableSettings) -> str:
    """Return the card of the table that these settings make, as JSON, without serving it."""
    url = settings.public_url or f"http://127.0.0.1:{settings.port}"
    alone = settings.model_copy(update={"data": None, "count": 1})
    return CardPage(build_app(alone, url).agents[""], "", url).card(url).decode()


def open_logs(settings: TableSettings) -> list[Log]:
    """Return where the tables' journals are kept, one for each; raises JournalFailed.

    A data directory with `{slot}` in its name is for several processes: each takes the first slot
    that nobody holds. So a container that replaces another goes on with its journals.
    """
    if settings.data is None:
        return [MemoryLog() for _ in range(settings.count)]
    pattern = str(settings.data)
    if _SLOT not in pattern:
        return _opened(settings, settings.data)
    for slot in range(1, _MOST_SLOTS):
        try:
            return _opened(settings, Path(pattern.replace(_SLOT, str(slot))))
        except JournalHeld:
            continue
    raise JournalHeld(f"every slot of {pattern} is held")


def _opened(settings: TableSettings, directory: Path) -> list[Log]:
    logs: list[Log] = []
    try:
        for number in range(1, settings.count + 1):
            path = directory / f"table-{number}.journal"
            logs.append(DiskLog(path, synchronous=settings.synchronous))
    except JournalFailed:
        for log in logs:
            log.close()
        raise
    return logs
