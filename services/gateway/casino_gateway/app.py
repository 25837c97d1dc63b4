"""Composition root of the gateway."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from datetime import timedelta
from itertools import count
from typing import Any

import httpx
from casino_agentkit import CardSigner, HostedAgents, Service, Waits, WebSocketLimits
from casino_agentkit.process.background_tasks import BackgroundTasks
from casino_contracts.base import SECRET_FIELDS
from casino_gamespec import Lobby, Specifications
from casino_lobby_client.lobby_client import LobbyClient, http_client
from casino_seats.clock import Clock, LoopClock
from prometheus_client import CollectorRegistry
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from casino_gateway.a2g.a2g_codes import A2gCode, A2gLimits, Clocks
from casino_gateway.a2g.a2g_gateway import A2g
from casino_gateway.a2g.a2g_rest import a2g_routes
from casino_gateway.boardgame.boardgame_dispatch import refused
from casino_gateway.boardgame.boardgame_messages import too_large
from casino_gateway.boardgame.seat_routes import boardgame_routes
from casino_gateway.bots.bot_endpoint import BotEndpoint, BotSeating
from casino_gateway.bots.bot_index import BotIndex
from casino_gateway.bots.dialled_bot import BotLimits
from casino_gateway.metrics import GatewayMetrics
from casino_gateway.model_context.examinations import Examinations
from casino_gateway.model_context.mcp_endpoint import (
    MCP_PATH,
    McpEndpoint,
    json_rpc_error,
    server_card_route,
)
from casino_gateway.model_context.practice_rooms import PracticeRooms
from casino_gateway.seats.listed_games import ListedGames
from casino_gateway.seats.open_rooms import OpenRooms
from casino_gateway.seats.registration import SEATS, Registration
from casino_gateway.seats.rooms import Rooms
from casino_gateway.seats.seat_index import SeatIndex, SeatLimits
from casino_gateway.seats.seat_parts import SeatParts
from casino_gateway.seats.seat_service import SeatClocks, SeatService
from casino_gateway.settings import GatewaySettings
from casino_gateway.store.gateway_schema import gateway_database
from casino_gateway.store.seat_rows import Answers, RoomRows, SeatRows

SECRET_KEYS = (*SECRET_FIELDS, "private", "signature", "state", "token")

_SEATING = timedelta(seconds=40)
"""The lobby reads the seat's card, invites its agent and calls the table, each with a limit."""
_SPECIFICATION = timedelta(seconds=10)
_EXAMINATION = timedelta(seconds=20)
"""The evaluator answers a command within 8 seconds."""
_LOOK_S = 5.0
_LOOKS_PER_TIDYING = 12


def build_app(
    settings: GatewaySettings,
    url: str,
    *,
    clock: Clock | None = None,
    lobby: httpx.AsyncBaseTransport | None = None,
) -> Service:
    """Return the service at `url`; tests inject the seats' clock and the way to the lobby."""
    clock = clock or LoopClock()
    registry = CollectorRegistry()
    metrics, waits = GatewayMetrics(registry), Waits()
    http = http_client(
        settings.lobby_url, settings.lobby_key, tls=settings.client_tls(), transport=lobby
    )
    client = OpenRooms(http, seating=_SEATING, rooms_each=settings.rooms_per_address, waits=waits)
    database = gateway_database(settings.database_path, waits)
    answers, room_rows = Answers(database), RoomRows(database)
    tasks = BackgroundTasks()
    hosted = HostedAgents(SEATS)
    specifications = Specifications(
        Lobby(http, settings.lobby_url, timeout=_SPECIFICATION), clock=clock.now
    )
    seats = SeatService(
        registration=Registration(client, SeatRows(database), hosted, url, tasks),
        rooms=Rooms(client, room_rows, clock, metrics),
        room_rows=room_rows,
        answers=answers,
        index=SeatIndex(SeatLimits(settings.seats, settings.seats_per_address)),
        specifications=specifications,
        parts=SeatParts(
            store=answers,
            clock=clock,
            metrics=metrics,
            presence_s=settings.presence.total_seconds(),
            model_presence_s=settings.model_presence.total_seconds(),
            reserve_s=settings.reserve.total_seconds(),
        ),
        clocks=SeatClocks(settings.human_clock, settings.model_clock),
    )
    games = ListedGames(seats, clock.now)
    practice = PracticeRooms(client, may_open=settings.may_create_rooms, clock=settings.model_clock)
    evaluator, examinations = _evaluator(settings)
    mcp = McpEndpoint(seats, games, practice, examinations, clock.now)
    a2g = A2g(seats, database, games, _a2g_limits(settings), url, Clocks(monotonic=clock.now))
    bots = _bots(settings, hosted, client, url, clock)
    running = AsyncExitStack()

    async def start() -> None:
        await database.open()
        running.push_async_callback(database.close)
        running.push_async_callback(http.aclose)
        if evaluator is not None:
            running.push_async_callback(evaluator.aclose)
        running.push_async_callback(specifications.close)
        running.push_async_callback(seats.close)
        try:
            await seats.start()
            await running.enter_async_context(a2g.running())
            await running.enter_async_context(mcp.running())
        except BaseException:
            await running.aclose()
            raise

    async def tidy() -> None:
        for looks in count(1):
            await asyncio.sleep(_LOOK_S)
            await client.look()
            await database.look()
            if looks % _LOOKS_PER_TIDYING == 0:
                seats.forget_old()
                bots.index.forget_old()

    return Service(
        {},
        routes=[
            *boardgame_routes(seats, may_create_rooms=settings.may_create_rooms, now=clock.now),
            *a2g_routes(a2g),
            *bots.routes(),
            *mcp.routes(),
            server_card_route(settings.public_url),
        ],
        middleware=_cors(settings),
        public_url=settings.public_url,
        guarded=lambda app: settings.guarded(app, url),
        page_rules=settings.page_rules(url),
        # Unsigned by default: a signed card owns its display name at the lobby, and guests come
        # and go with any name.
        signer=CardSigner.kept_at(settings.card_key),
        start=start,
        stop=running.aclose,
        beside=tidy,
        checks=lambda: {"database": database.is_open},
        a2a_03=settings.a2a_03,
        registry=registry,
        waits=waits,
        hosted=hosted,
        websockets=WebSocketLimits(),
        body_refusal=body_refusal,
    )


def body_refusal(path: str, reason: str) -> Mapping[str, Any] | None:
    """Return the refusal of a large body, in the form of the protocol that has the path."""
    if path.startswith("/bgp"):
        return refused(too_large()).message
    if path == MCP_PATH:
        return json_rpc_error(reason)
    return (
        {"code": A2gCode.INVALID_MESSAGE, "message": reason} if path.startswith("/api/") else None
    )


def _bots(
    settings: GatewaySettings, hosted: HostedAgents, lobby: LobbyClient, url: str, clock: Clock
) -> BotEndpoint:
    limits = BotLimits(connections=settings.bots, per_address=settings.bots_per_address)
    index = BotIndex(hosted, url, limits, clock.now)
    return BotEndpoint(index, BotSeating(lobby), limits, clock.now)


def _evaluator(
    settings: GatewaySettings,
) -> tuple[httpx.AsyncClient, Examinations] | tuple[None, None]:
    if settings.evaluator_url is None:
        return None, None
    http = http_client(settings.evaluator_url, None, _EXAMINATION, tls=settings.client_tls())
    key = settings.evaluator_key
    return http, Examinations(http, key.get_secret_value() if key else None)


def _a2g_limits(settings: GatewaySettings) -> A2gLimits:
    return A2gLimits(
        reconnect=settings.reconnect.total_seconds(),
        create_rooms=settings.may_create_rooms,
        logins_per_address=settings.logins_per_address,
    )


def _cors(settings: GatewaySettings) -> list[Middleware]:
    if not settings.cors_origins:
        return []
    cors = Middleware(
        CORSMiddleware,
        allow_origins=settings.cors_origins,
        allow_methods=("GET", "POST", "DELETE"),
        allow_headers=("Authorization", "Content-Type"),
        expose_headers=("ETag", "Location", "Retry-After"),
    )
    return [cors]
