"""Composition root of the evaluator."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta

import httpx
import structlog
from casino_agentkit import CardSigner, HostedAgents, Service, Waits
from casino_contracts.base import SECRET_FIELDS
from casino_lobby_client.lobby_client import LobbyClient, http_client
from casino_seats.clock import Clock, LoopClock
from casino_storage.sqlite_file import SqliteFile
from prometheus_client import CollectorRegistry

from casino_evaluator.assessment.assessment_agent import (
    ApiKeyHeader,
    AssessmentLimits,
    evaluate_agent,
)
from casino_evaluator.domain.levels import BUILTIN_GAMES, ExaminedGame, ExaminedGames
from casino_evaluator.domain.levels_file import read_levels
from casino_evaluator.errors import InvalidLevels, StoreFailed
from casino_evaluator.evaluation_requests import Access, body_refusal
from casino_evaluator.evaluation_routes import (
    CommandHandlers,
    ExaminedGameHandlers,
    ScorecardHandlers,
    page_routes,
    rest_routes,
)
from casino_evaluator.metrics import EvaluatorMetrics
from casino_evaluator.opponents import CATALOGUE
from casino_evaluator.play.level_room import SEATS
from casino_evaluator.play.level_run import LevelRuns
from casino_evaluator.service.api_keys import Keys
from casino_evaluator.service.open_scorecards import CardLimits
from casino_evaluator.service.scorecards import Cards
from casino_evaluator.service.session_rooms import SessionRooms
from casino_evaluator.service.sessions import Sessions
from casino_evaluator.settings import EvaluatorSettings
from casino_evaluator.store.evaluator_keys import KeyRows, kept_identity
from casino_evaluator.store.evaluator_schema import evaluator_database
from casino_evaluator.store.scorecard_rows import CardStore, SessionRows

logger = structlog.get_logger(__name__)

SECRET_KEYS = (*SECRET_FIELDS, "api_key", "private", "seed", "state", "token", "x-api-key")

_SEATING = timedelta(seconds=20)
"""The lobby reads the seat's card, invites its agent and calls the table, each with a limit."""
_TIDIED_EVERY_S = 5.0


@dataclass(frozen=True)
class _Parts:
    """What is opened and closed with the service."""

    database: SqliteFile
    lobby: LobbyClient
    runs: LevelRuns
    rooms: SessionRooms
    cards: Cards
    keys: Keys
    settings: EvaluatorSettings

    async def start(self, running: AsyncExitStack) -> None:
        await self.database.open()
        running.push_async_callback(self.database.close)
        running.push_async_callback(self.lobby.close)
        running.push_async_callback(self.drain)
        identity = await kept_identity(self.database)
        seed = self.settings.seed
        self.rooms.seed = seed.get_secret_value() if seed else identity.seed
        await self.keys.start()
        await self.cards.start()
        await self.runs.start_up(identity.instance)

    async def drain(self) -> None:
        """Close all rooms: their tables wait for the answers of seats."""
        await self.rooms.close()
        await self.runs.close()

    async def tidy(self) -> None:
        """Close idle rooms and scorecards, and look after what fails, until it is cancelled."""
        idle_s = self.settings.idle.total_seconds()
        while True:
            await asyncio.sleep(min(_TIDIED_EVERY_S, idle_s / 2))
            await self.rooms.close_idle(idle_s)
            await self.lobby.look()
            await self.database.look()
            try:
                for card_id in await self.cards.close_stale():
                    await self.rooms.close_card(card_id)
            except StoreFailed as error:
                logger.warning("scorecards_not_closed", reason=str(error))


def build_app(
    settings: EvaluatorSettings,
    url: str,
    *,
    clock: Clock | None = None,
    lobby: httpx.AsyncBaseTransport | None = None,
) -> Service:
    """Raise InvalidLevels; tests inject the clock and the way to the lobby."""
    clock = clock or LoopClock()
    registry = CollectorRegistry()
    metrics, waits = EvaluatorMetrics(registry), Waits()
    games = ExaminedGames(_games(settings))
    http = http_client(
        settings.lobby_url, settings.lobby_key, tls=settings.client_tls(), transport=lobby
    )
    hosted = HostedAgents(SEATS)
    client = LobbyClient(http, seating=_SEATING, waits=waits)
    runs = LevelRuns(client, hosted, url, CATALOGUE, waits, settings.opponent_pause)
    database = evaluator_database(settings.database_path, waits)
    rows = SessionRows(database)
    keys = Keys(KeyRows(database), settings.api_keys, anonymous=settings.anonymous_keys)
    cards = Cards(
        CardStore(database),
        rows,
        games.by_id,
        CardLimits(
            idle_s=settings.card_idle.total_seconds(), open_s=settings.card_open.total_seconds()
        ),
        configured=keys.configured,
    )
    rooms = SessionRooms(
        runs,
        settings.rooms,
        clock.now,
        metrics,
        configured=keys.configured,
        per_key=settings.rooms_per_key,
        openings=settings.openings_per_key,
    )
    sessions = Sessions(games, cards, rows, rooms, metrics, clock.now)
    parts = _Parts(database, client, runs, rooms, cards, keys, settings)
    running = AsyncExitStack()

    async def start() -> None:
        try:
            await parts.start(running)
        except BaseException:
            await running.aclose()
            raise

    assessor = evaluate_agent(
        games,
        runs,
        lambda: rooms.seed,
        keys,
        cards,
        AssessmentLimits(
            in_total=settings.assessments,
            per_network=settings.assessments_per_network,
            rooms=settings.assessment_rooms,
            longest=settings.assessment_longest,
        ),
        is_reachable=settings.is_reachable,
    )
    return Service(
        {"": assessor},
        routes=[
            *rest_routes(
                Access(keys, settings.requests_per_minute, clock.now),
                ExaminedGameHandlers(games, keys),
                CommandHandlers(sessions, rooms),
                ScorecardHandlers(cards, games, rooms),
            ),
            *page_routes(),
        ],
        public_url=settings.public_url,
        guarded=lambda app: settings.guarded(ApiKeyHeader(app), url),
        signer=CardSigner.kept_at(settings.card_key),
        start=start,
        drain=parts.drain,
        stop=running.aclose,
        beside=parts.tidy,
        checks=lambda: {"database": database.is_open},
        a2a_03=settings.a2a_03,
        registry=registry,
        waits=waits,
        hosted=hosted,
        body_refusal=body_refusal,
    )


def _games(settings: EvaluatorSettings) -> tuple[ExaminedGame, ...]:
    if settings.levels is None:
        return BUILTIN_GAMES
    try:
        text = settings.levels.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidLevels(f"{settings.levels} cannot be read: {error}") from error
    try:
        return read_levels(text)
    except InvalidLevels as error:
        raise InvalidLevels(f"{settings.levels}: {error}") from error
