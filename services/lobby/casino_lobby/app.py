"""Composition root of the lobby: builds the service from its settings."""

import asyncio
import os
import secrets
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from casino_agentkit import CardSigner, LargeBody, Service, Transport, Waits
from casino_agentkit.protocol import BODY_LIMIT
from casino_contracts.base import SECRET_FIELDS
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from casino_lobby import __version__
from casino_lobby.access.lobby_rules import LobbyRules, TableTokens
from casino_lobby.access.operator import Operator, may_command
from casino_lobby.access.player_readers import FaultReaders
from casino_lobby.access.request_budget import RequestBudget
from casino_lobby.discovery import Discovery
from casino_lobby.domain.display_names import NameBook, Names
from casino_lobby.domain.fleet import Fleet, FleetLimits
from casino_lobby.domain.lobby_events import (
    EventsCommitted,
    EventsMissed,
    EventsRefused,
    EventsRepeated,
    MessageBus,
    NamesOwned,
    RoomArchived,
    RoomChanged,
    RoomsTaken,
    StoreHealth,
    StoreLost,
    TableLost,
    TableReplaced,
)
from casino_lobby.domain.room_limits import RoomCaps
from casino_lobby.domain.room_views import CareerIds
from casino_lobby.event_stream import Broadcaster, EventBroadcaster
from casino_lobby.lobby_agent import lobby_agent
from casino_lobby.lobby_metrics import ActiveCollector, LobbyMetrics, RoomCollector, WaitingRooms
from casino_lobby.page import page_routes
from casino_lobby.preview.previews import PreviewParts
from casino_lobby.rest.hand_file_routes import HandFileHandlers
from casino_lobby.rest.hand_routes import HandHandlers
from casino_lobby.rest.lobby_routes import LobbyHandlers, lobby_info
from casino_lobby.rest.original_dashboard import DashboardHandlers, dashboard_routes
from casino_lobby.rest.player_routes import PlayerHandlers
from casino_lobby.rest.published_routes import PUBLISHED, PublishedHandlers
from casino_lobby.rest.request_reading import IDEMPOTENCY_KEY
from casino_lobby.rest.resource import RestBudget
from casino_lobby.rest.rest_routes import Handlers, rest_routes
from casino_lobby.rest.room_routes import RoomHandlers
from casino_lobby.rest.stream_routes import StreamHandlers
from casino_lobby.service.completed_hands import Hands
from casino_lobby.service.dependencies import LobbyContext, clients_of, random_id
from casino_lobby.service.game_catalogue import GameCatalogue, tables_of
from casino_lobby.service.group_lobby import GroupParts, table_order
from casino_lobby.service.lobby_service import LobbyService
from casino_lobby.service.match_publishing import Publishing
from casino_lobby.service.retention_tasks import RetentionTasks
from casino_lobby.service.use_cases import CareerQueries, LobbyQueries, ScopedUseCases
from casino_lobby.settings import LobbySettings
from casino_lobby.standby import Activation, ClosingInStandby, MetricsGate, StandbyGate
from casino_lobby.store import MemoryStore, Store
from casino_lobby.store.stored_rows import UnreadableCollector
from casino_lobby.stream_endpoint import StreamLimits, Streams
from casino_lobby.table_directory import Tables
from casino_lobby.table_launcher import TableLauncher, TableProbe
from casino_lobby.table_messages import LobbyIdentity

IN_MEMORY = "memory"

SECRET_KEYS = (*SECRET_FIELDS, "operatorToken", "token")
"""Keys whose values are redacted in logs."""

_NEW_SECRET = partial(secrets.token_urlsafe, 32)
_NOW = partial(datetime.now, UTC)


def _forward_log(line: str) -> None:
    sys.stderr.write(line + "\n")


def build_app(  # noqa: PLR0913  all external dependencies
    settings: LobbySettings,
    url: str,
    *,
    transport: Transport | None = None,
    clock: Callable[[], float] = time.monotonic,
    new_id: Callable[[str], str] = random_id,
    new_secret: Callable[[], str] = _NEW_SECRET,
    now: Callable[[], datetime] = _NOW,
    store: Store | None = None,
    rules_of: Callable[..., LobbyRules] | None = None,
    names: NameBook | None = None,
    on_superseded: Callable[[], None] = lambda: None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Service:
    """Return the lobby's service with the base URL `url`.

    `on_superseded` is called once another lobby has taken the database over: it ends the process.
    Tests pass their own transport, clocks, ids, secrets, store, rules, names and sleep.
    """
    store = store or _store(settings, now())
    bus = store.bus  # all parts publish where the store reports its commits
    registry = CollectorRegistry()
    metrics = LobbyMetrics(registry, now)
    registry.register(RoomCollector(store.own_rooms))
    registry.register(UnreadableCollector(store.unreadable))
    broadcaster = Broadcaster(settings.stream_behind)
    launch_key = new_secret()
    signer = CardSigner.kept_at(_card_key(settings))
    career_ids = CareerIds(signer.derived_key("careers") if signer else launch_key.encode())
    operator_key, fleet_key = _value(settings.operator_token), _value(settings.fleet_key)
    budget = RequestBudget(settings.commands_per_minute, clock)
    fleet_limits = FleetLimits(settings.announced_tables, settings.announced_tables_per_origin)
    order = table_order(settings.peer_url)
    fleet = Fleet(clock, settings.table_silence, fleet_limits, order)
    clients = clients_of(settings, transport)
    caps = RoomCaps(settings.rooms, settings.launched_tables)
    operator = Operator(operator_key, reads_too=settings.readers == "operator")
    tables = Tables(
        LobbyIdentity(settings.name, url, fleet_key, launch_key, operator.visitors),
        clients.tables,
        fleet,
        _launcher(settings, bus, launch_key) if settings.launch_tables else None,
        store,
        caps,
    )
    lobby = LobbyService(
        LobbyContext(
            settings.name,
            settings.signup_timeout,
            new_id,
            new_secret,
            bus,
            sleep,
            traces=settings.tracing,
            signer=signer,
        ),
        store,
        clients,
        tables,
        caps=caps,
        names=names or Names(),
    )
    upkeep = RetentionTasks(settings, store, bus, clock, now, lobby.signing.catch_up)
    waits = Waits(clock)
    _subscribe(bus, EventBroadcaster(broadcaster), metrics, lobby, WaitingRooms(waits))
    bus.subscribe(StoreLost, lambda _lost: on_superseded())
    limits = StreamLimits(
        settings.stream_clients,
        settings.heartbeat,
        2 * settings.heartbeat,
        settings.streams_per_address,
    )
    rules = (rules_of or LobbyRules)(
        operator, fleet_key, store.room_of_table, budget=budget, report=bus.publish
    )
    group = GroupParts(settings, lobby, store, rules, transport, clock, new_id, sleep)
    activation = Activation(store, group.open, on_superseded, broadcaster.end_all)
    registry.register(ActiveCollector(activation.standby))
    activation.guard(rules)
    use_cases, commands = group.use_cases, ScopedUseCases(group.use_cases, operator)
    streams = Streams(
        use_cases, store, broadcaster, limits, operator=operator, metrics=metrics, budget=budget
    )
    probe = TableProbe(os.environ) if settings.launch_tables else None
    games = GameCatalogue(
        clients.games,
        clients.tables,
        fleet,
        lambda: tables_of(store.rooms(), store.group.owns),
        probe,
        clock,
    )
    queries = LobbyQueries(store, fleet, lobby_info(settings, url, operator))

    preview = PreviewParts.of(settings, use_cases, store, operator, budget)

    events = LargeBody(BODY_LIMIT, TableTokens(store.rooms, budget).has)
    published = LargeBody(BODY_LIMIT, lambda sender: may_command(operator, sender, "publishMatch"))

    async def drain() -> None:
        await lobby.drain()
        streams.close()  # last, so that streams still deliver the remaining events

    async def stop() -> None:
        streams.close()
        await activation.stop()
        await games.close()
        await group.stop()
        await lobby.stop()

    return Service(
        {"": lobby_agent(commands, use_cases, settings.name, __version__, rules, events)},
        routes=[
            *rest_routes(
                Handlers(
                    RoomHandlers(commands, use_cases, queries),
                    PlayerHandlers(
                        use_cases,
                        CareerQueries(store, clock, career_ids),
                        store,
                        operator,
                        FaultReaders(operator, _value(settings.faults_token)),
                    ),
                    HandHandlers(use_cases, Hands(store), career_ids, now, lobby.signing.results),
                    HandFileHandlers(
                        use_cases, Hands(store), preview.previews, preview.cards, operator
                    ),
                    LobbyHandlers(queries, games, operator),
                    PublishedHandlers(Publishing(store, now)),
                    StreamHandlers(use_cases, streams, operator),
                ),
                operator=operator,
                budget=RestBudget(budget, operator),
            ),
            *dashboard_routes(
                DashboardHandlers(commands, use_cases, queries),
                operator=operator,
                budget=RestBudget(budget, operator),
            ),
            *page_routes(settings.gateway_url, settings.embed_origins, preview.previewer),
            *Discovery(settings).routes(),
            *group.routes,
        ],
        middleware=_middleware(settings, operator, activation.standby),
        public_url=settings.public_url,
        large_bodies={**dict.fromkeys(PUBLISHED, published), **group.large_bodies},
        guarded=lambda app: ClosingInStandby(settings.guarded(app, url), activation.standby),
        page_rules=settings.page_rules(url),
        plain_calls=lambda: activation.standby() is None,
        signer=signer,
        start=activation.start,
        standby=activation.standby,
        beside=upkeep.run,
        drain=drain,
        stop=stop,
        registry=registry,
        waits=waits,
        a2a_03=settings.a2a_03,
    )


def _subscribe(
    bus: MessageBus,
    event_broadcaster: EventBroadcaster,
    metrics: LobbyMetrics,
    lobby: LobbyService,
    waiting: WaitingRooms,
) -> None:
    """Subscribe every handler of lobby events; those of one event run in this order."""
    bus.subscribe(EventsCommitted, event_broadcaster.publish_events)
    bus.subscribe(EventsCommitted, metrics.count_events)
    bus.subscribe(EventsCommitted, lobby.sign_sessions)
    bus.subscribe(EventsMissed, event_broadcaster.miss_events)
    bus.subscribe(EventsRefused, metrics.count_refused)
    bus.subscribe(EventsRefused, lobby.note_refused)
    bus.subscribe(EventsRepeated, metrics.count_repeated)
    bus.subscribe(RoomChanged, event_broadcaster.publish_room)
    bus.subscribe(RoomChanged, waiting.follow)
    bus.subscribe(StoreHealth, waiting.note_store)
    bus.subscribe(StoreHealth, lobby.note_store)
    bus.subscribe(RoomArchived, lobby.forget_room)
    bus.subscribe(RoomsTaken, lobby.take_rooms)
    bus.subscribe(NamesOwned, lobby.learn_names)
    bus.subscribe(TableLost, lobby.reconcile_table)
    bus.subscribe(TableReplaced, lobby.follow_table)
    bus.subscribe(TableReplaced, metrics.count_moved)


def _launcher(settings: LobbySettings, bus: MessageBus, launch_key: str) -> TableLauncher:
    return TableLauncher(
        settings.table_ports,
        bus=bus,
        on_log=_forward_log,
        grace=settings.drain_timeout,
        data=None if settings.database_url == IN_MEMORY else settings.data / "tables",
        secrets={"CASINO_TABLE_FLEET_KEY": launch_key, **_trust(settings)},
    )


def _value(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def _card_key(settings: LobbySettings) -> Path | None:
    if settings.card_key is not None or settings.database_url == IN_MEMORY:
        return settings.card_key
    return settings.data / "card-key.pem"


def _trust(settings: LobbySettings) -> dict[str, str]:
    trusted = settings.tls_ca or settings.tls_cert
    return {"CASINO_TABLE_TLS_CA": str(trusted.absolute())} if trusted else {}


def _store(settings: LobbySettings, now: datetime) -> Store:
    if settings.database_url == IN_MEMORY:
        # Start cursors at the clock, above those of any earlier process.
        return MemoryStore(settings.events_kept, after=int(now.timestamp() * 1e6))
    # Imported lazily: only this needs SQLAlchemy.
    from casino_lobby.store import SqlStore  # noqa: PLC0415

    path = (settings.data / "casino.db").absolute()
    url = settings.database_url or f"sqlite+aiosqlite:///{path}"
    return SqlStore(url, synchronous=settings.synchronous, peer_url=settings.peer_url)


def _middleware(
    settings: LobbySettings, operator: Operator, standby: Callable[[], str | None]
) -> list[Middleware]:
    """Return the middleware, the outermost first; `standby` says why the lobby is not active."""
    gates = [Middleware(StandbyGate, standby=standby), Middleware(MetricsGate, operator=operator)]
    if not settings.cors_origins:
        return gates
    cors = Middleware(
        CORSMiddleware,
        allow_origins=settings.cors_origins,
        allow_methods=("GET", "POST", "PUT", "DELETE"),
        allow_headers=(
            "Authorization",
            "Content-Type",
            IDEMPOTENCY_KEY,
            "If-Match",
            "Last-Event-ID",
        ),
        expose_headers=("Location", "Retry-After"),
    )
    return [cors, *gates]
