"""The composition root of a table process."""

import asyncio
import random
import secrets
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

from casino_agentkit import (
    AgentClient,
    CardSigner,
    HttpTransport,
    InvalidSettings,
    Service,
    Transport,
    policy_of,
)
from casino_agentkit.protocol import CARD_PATH
from casino_agentkit.server.card_page import CardPage
from casino_contracts.base import SECRET_FIELDS
from casino_games import BrokenRegistration, import_games
from casino_play.clock import Clock
from prometheus_client import CollectorRegistry

from casino_table import __version__
from casino_table.api_a2a import table_agent
from casino_table.delivery.announcer import Announcer
from casino_table.errors import JournalFailed, JournalHeld
from casino_table.games import spec_routes
from casino_table.journal.disk_log import DiskLog
from casino_table.journal.journal import Log
from casino_table.journal.memory_log import MemoryLog
from casino_table.lifecycle import TableDependencies, TableLifecycle
from casino_table.metrics import TableMetrics
from casino_table.rules import TableRules
from casino_table.service import TableService
from casino_table.settings import TableSettings

_SLOT, _MOST_SLOTS = "{slot}", 1000

SECRET_KEYS = (*SECRET_FIELDS, "odds")
"""Keys whose values are redacted in logs."""


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
    """Return the service of a table process with the base URL `url`.

    Tests inject a transport, a clock, random numbers and rules.
    Raises JournalFailed, and InvalidSettings for games that cannot be imported.
    """
    try:
        with redirect_stdout(sys.stderr):  # the supervisor reads the standard output
            import_games(settings.games)
    except BrokenRegistration as error:
        raise InvalidSettings(f"{settings.prefix}GAMES: {error}") from error
    clock = clock or Clock()
    own_urls = (settings.lobby_url, settings.public_url)
    policy = policy_of(settings.call_addresses, settings.host, own_urls)
    http = transport or HttpTransport(policy, tls=settings.client_tls())
    client = AgentClient(http, clock=clock.now)
    rng = rng or random.Random()  # noqa: S311  only for retry jitter, not for cards
    registry = CollectorRegistry()
    metrics = TableMetrics(registry)
    fleet_key = settings.fleet_key.get_secret_value() if settings.fleet_key else None
    dependencies = TableDependencies(client, clock, rng, entropy, metrics, settings.max_undelivered)
    tables = [TableService(TableLifecycle(dependencies, log)) for log in open_logs(settings)]
    metrics.watch([table.gauges for table in tables])
    paths = [""] if settings.count == 1 else [f"/tables/{n + 1}" for n in range(settings.count)]
    names = (
        [settings.name]
        if settings.count == 1
        else [f"{settings.name} {n + 1}" for n in range(settings.count)]
    )

    announcer = None
    if settings.lobby_url:
        by_card = {url + path + CARD_PATH: table for path, table in zip(paths, tables, strict=True)}
        announcer = Announcer(
            client, settings.lobby_url, by_card, clock, rng, settings.announce_every, fleet_key
        )

    async def announce() -> None:
        if announcer is not None:
            await announcer.run()

    async def resume() -> None:
        await asyncio.gather(*(table.resume() for table in tables))

    async def drain() -> None:
        if announcer is not None:
            await announcer.drain(settings.drain_timeout)
            return
        await asyncio.gather(*(table.drain(settings.drain_timeout) for table in tables))

    async def stop() -> None:
        await asyncio.gather(*(table.stop() for table in tables))
        await client.close()

    return Service(
        {
            path: table_agent(table, name, __version__, rules_of(table, fleet_key))
            for path, table, name in zip(paths, tables, names, strict=True)
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
        a2a_03=settings.a2a_03,
    )


def _card_key(settings: TableSettings) -> Path | None:
    if settings.card_key is not None or settings.data is None or _SLOT in str(settings.data):
        return settings.card_key
    return settings.data / "card-key.pem"


def card_of(settings: TableSettings) -> str:
    """Return the agent card of a single table with these settings, as JSON."""
    url = settings.public_url or f"http://127.0.0.1:{settings.port}"
    single = settings.model_copy(update={"data": None, "count": 1})
    return CardPage(build_app(single, url).agents[""], "", url).card(url).decode()


def open_logs(settings: TableSettings) -> list[Log]:
    """Open one log per table; raises JournalFailed.

    A data directory with `{slot}` in its name is shared by several processes: each uses the first
    slot that no other process holds. So a replacement container continues with its journals.
    """
    if settings.data is None:
        return [MemoryLog() for _ in range(settings.count)]
    pattern = str(settings.data)
    if _SLOT not in pattern:
        return _open_directory(settings, settings.data)
    for slot in range(1, _MOST_SLOTS):
        try:
            return _open_directory(settings, Path(pattern.replace(_SLOT, str(slot))))
        except JournalHeld:
            continue
    raise JournalHeld(f"every slot of {pattern} is held by another process")


def _open_directory(settings: TableSettings, directory: Path) -> list[Log]:
    logs: list[Log] = []
    try:
        for number in range(1, settings.count + 1):
            path = directory / f"table-{number}.journal"
            logs.append(
                DiskLog(path, synchronous=settings.synchronous, keep_hands=settings.keep_hands)
            )
    except JournalFailed:
        for log in logs:
            log.close()
        raise
    return logs
