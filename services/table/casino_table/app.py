"""The composition root of a table process."""

import asyncio
import random
import secrets
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from casino_agentkit import (
    AgentClient,
    CardSigner,
    HttpTransport,
    InvalidSettings,
    Service,
    Transport,
    Waits,
)
from casino_agentkit.protocol import CARD_PATH
from casino_agentkit.server.card_page import CardPage
from casino_contracts.base import SECRET_FIELDS
from casino_games import BrokenRegistration, import_games
from casino_play.turn import Clock
from casino_storage.record_compressor import RecordCompressor
from prometheus_client import CollectorRegistry
from starlette.routing import BaseRoute

from casino_table import __version__
from casino_table.delivery.announcer import Announcer
from casino_table.delivery.event_publisher import EventDelivery
from casino_table.errors import JournalHeld
from casino_table.journal.journal_log import Log, MemoryLog
from casino_table.journal.table_journals import JournalOptions, file_name, open_journals
from casino_table.process_group import TableShare
from casino_table.running_table import TableDependencies
from casino_table.service import TableService
from casino_table.settings import SLOT, TableSettings
from casino_table.table_agent import TableRules, spec_routes, table_agent
from casino_table.table_metrics import TableMetrics
from casino_table.workers import OtherTables, ProcessTables, Readiness, local_transport

logger = structlog.get_logger(__name__)

_MOST_SLOTS = 1000
SECRET_KEYS = (*SECRET_FIELDS, "odds")
_Parts = list[Callable[[], Awaitable[object]]]
"""What parts of the process do at the same moment of its life."""


def build_app(
    settings: TableSettings,
    url: str,
    *,
    part: ProcessTables | None = None,
    transport: Transport | None = None,
    clock: Clock | None = None,
    rng: random.Random | None = None,
    entropy: Callable[[], str] = lambda: secrets.token_hex(32),
    rules_of: Callable[[TableService, str | None], TableRules] = TableRules,
) -> Service:
    """Return the service of a table process with the base URL `url`.

    `part` is its part of a group of processes, by default all tables.
    Tests inject a transport, a clock, random numbers and rules.
    Raises JournalFailed, and InvalidSettings for games that cannot be imported.
    """
    try:
        with redirect_stdout(sys.stderr):  # the supervisor reads the standard output
            for game_type in import_games(settings.games):
                logger.warning("built_in_game_replaced", game=game_type)
    except BrokenRegistration as error:
        raise InvalidSettings(f"{settings.prefix}GAMES: {error}") from error
    part = part or ProcessTables(TableShare(settings.count))
    share, workers = part.share, part.workers
    clock = clock or Clock()
    http = transport or HttpTransport(
        settings.outgoing(settings.lobby_url), tls=settings.client_tls(), traces=settings.tracing
    )
    client = AgentClient(http)
    rng = rng or random.Random()  # noqa: S311  only for retry jitter, not for cards
    registry = CollectorRegistry()
    metrics = TableMetrics(registry, settings.tracing)
    waits = Waits(clock.now, clock.timestamp)
    fleet_key = settings.fleet_key.get_secret_value() if settings.fleet_key else None
    delivery = EventDelivery(client, clock, rng, waits)
    signer = CardSigner.kept_at(_card_key(settings))
    dependencies = TableDependencies(
        client, clock, delivery, entropy, metrics, settings.max_undelivered, waits, signer
    )
    logs, slot = open_logs(settings, part)
    tables = [TableService(dependencies, log) for log in logs]
    metrics.watch([table.gauges for table in tables])
    agents = {
        share.path(number): table_agent(
            table, share.name(number, settings.name), __version__, rules_of(table, fleet_key)
        )
        for number, table in zip(share.numbers, tables, strict=True)
    }

    starts: _Parts = [table.resume for table in tables]
    besides: _Parts = []
    drains: _Parts = [partial(table.drain, settings.drain_timeout) for table in tables]
    stops: _Parts = [table.stop for table in tables]
    routes: list[BaseRoute] = [*spec_routes()]
    checks: Callable[[], Mapping[str, bool]] = dict
    if settings.lobby_url:
        by_card = {
            url + path + CARD_PATH: table for path, table in zip(agents, tables, strict=True)
        }
        announcer = Announcer(
            client, settings.lobby_url, by_card, clock, rng, settings.announce_every, fleet_key
        )
        besides.append(announcer.run)
        drains = [partial(announcer.drain, settings.drain_timeout)]
    if workers is not None:
        readiness = Readiness(workers, local_transport(settings), clock, registry)
        starts.append(partial(workers.start, slot))
        besides.append(readiness.watch)
        drains.append(workers.drain)
        stops += [workers.kill, readiness.close]
        routes.append(OtherTables(workers, next(iter(agents.values()))))
        checks = readiness.checks

    async def stop() -> None:
        await _all(stops)()
        await client.close()

    service = Service(
        agents,
        routes=routes,
        public_url=settings.public_url,
        guarded=lambda app: settings.guarded(app, url),
        page_rules=settings.page_rules(url),
        signer=signer,
        start=_all(starts),
        beside=_all(besides),
        drain=_all(drains),
        stop=stop,
        checks=checks,
        card_list=workers.all_cards if workers else list,
        registry=registry,
        waits=waits,
        a2a_03=settings.a2a_03,
    )
    if workers is not None:
        besides.append(partial(workers.watch, service.fail))
    return service


def _all(parts: _Parts) -> Callable[[], Coroutine[Any, Any, None]]:
    async def run() -> None:
        await asyncio.gather(*(part() for part in parts))

    return run


def _card_key(settings: TableSettings) -> Path | None:
    if settings.card_key is not None or settings.data is None or SLOT in str(settings.data):
        return settings.card_key
    return settings.data / "card-key.pem"


def card_of(settings: TableSettings) -> str:
    url = settings.public_url or f"http://127.0.0.1:{settings.port}"
    single = settings.model_copy(update={"data": None, "count": 1})
    return CardPage(build_app(single, url).agents[""], "", url).card(url).decode()


def open_logs(settings: TableSettings, part: ProcessTables | None = None) -> tuple[list[Log], str]:
    """Open the log of each table of a part, by default of all; return them and their slot.

    A data directory with `{slot}` in its name is shared by several groups of processes: each uses
    the first slot that no other holds. So a replacement container continues with its journals.
    Raises JournalFailed.
    """
    part = part or ProcessTables(TableShare(settings.count))
    share, slot = part.share, part.slot
    if settings.data is None:
        compressor = RecordCompressor()
        return [MemoryLog(compressor=compressor) for _ in share.numbers], ""
    pattern = str(settings.data)
    if SLOT not in pattern:
        return _open_directory(settings, share, ""), ""
    for candidate in [slot] if slot else map(str, range(1, _MOST_SLOTS)):
        try:
            return _open_directory(settings, share, candidate), candidate
        except JournalHeld:
            if slot:
                raise
    raise JournalHeld(f"every slot of {pattern} is held by another process")


def _open_directory(settings: TableSettings, share: TableShare, slot: str) -> list[Log]:
    def filled(path: Path) -> Path:
        return Path(str(path).replace(SLOT, slot))

    assert settings.data is not None  # noqa: S101  there is a directory
    archive = None if settings.archive is None else filled(settings.archive)
    options = JournalOptions(settings.synchronous, settings.keep_hands, archive)
    name = file_name(share.process, share.processes)
    return [*open_journals(filled(settings.data), share.numbers, name, options)]
