"""Catalogue of playable games, read from the agent cards of the tables.

The lobby has no built-in games. A new game appears once a table that plays it is running. If
several tables play a game, one of them describes it: a launched table if there is one (that of a
room, otherwise one that is started for it), otherwise a table that the operator named for a room,
otherwise the table that offered the game first, as long as it offers it. A table that announces
itself later with a newer version does not replace it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urljoin

import orjson
import structlog
from casino_agentkit import AgentClient, AgentError, CommandRefused
from casino_agentkit.bounded_state import LruDict
from casino_agentkit.client.outgoing import origin_key
from casino_agentkit.server.page_files import entity_tag
from casino_contracts import GameList, ListedGame, OfferedGame, Reason
from pydantic import ValidationError

from casino_lobby.domain.fleet import Fleet, base_url
from casino_lobby.domain.room import Room
from casino_lobby.table_messages import translate_errors

_MAX_GAMES_PER_CARD = 100
LAUNCHED, NAMED, ANNOUNCED = range(3)
"""Ranks: a table of the first describes a game before one of the next."""

FRESH_S = 2.0
"""How long a list is cached, in seconds."""
LAUNCHED_FRESH_S = 60.0
"""How long the games of launched tables are cached; reading them starts a process."""
PATIENCE_S = 1.0
"""How long a list waits for the tables; after that it returns the results so far."""
_MAX_SPECIFICATIONS, _MAX_POLLED = 100, 256
"""Limits on the memory and the calls that third-party cards can cause."""
_TIMEOUT = timedelta(seconds=3)
_CARD, _SPECIFICATION = "--card", "--specification"
_Key = tuple[str, str, str | None]
"""Game type and version, and the card URL of the table that describes it."""
TableOutput = Callable[..., Awaitable[str]]

logger = structlog.get_logger(__name__)


class RoomTable(NamedTuple):
    """The table of an open room; a launched one is a process of this lobby."""

    card_url: str
    is_launched: bool = False


def tables_of(rooms: Iterable[Room], owns: Callable[[Room], bool]) -> Iterator[RoomTable]:
    """Yield the tables of the rooms that are not over, without those that other lobbies launched.

    `owns` returns whether a room is this lobby's.
    """
    for room in rooms:
        is_reached = not room.is_launched or owns(room)
        if room.table_card_url and not room.is_over and is_reached:
            yield RoomTable(room.table_card_url, room.is_launched)


class GameSource(NamedTuple):
    """A table that plays a game; `card_url` is None for a table that the lobby would launch."""

    game: OfferedGame
    card_url: str | None
    rank: int = LAUNCHED


@dataclass
class TableProcess:
    """Games of the tables of one origin; tables of one process play the same games."""

    card_url: str
    rank: int = ANNOUNCED
    games: dict[str, GameSource] = field(default_factory=dict)
    polled_in: int = 0
    """The round in which it was polled last; 0 before the first."""


def games_on(
    about: dict[str, Any], card_url: str | None, rank: int = LAUNCHED
) -> dict[str, GameSource]:
    """Return the games of a card by game type; invalid entries are skipped."""
    listed = about.get("games")
    sources: dict[str, GameSource] = {}
    invalid = 0
    for line in listed[:_MAX_GAMES_PER_CARD] if isinstance(listed, list) else ():
        try:
            game = OfferedGame.model_validate(line)
        except ValidationError:
            invalid += 1
        else:
            sources.setdefault(game.game_type, GameSource(game, card_url, rank))
    if invalid:
        logger.warning("games_invalid", table=card_url and card_url[:300], entries=invalid)
    return sources


class Specification(NamedTuple):
    """A game's specification as Markdown, and its entity tag."""

    content: str
    tag: str


class GameCatalogue:
    """Polls the tables, at most every `FRESH_S` seconds.

    `client` limits the number of concurrent calls (`CallSlots`); `own` calls launched tables.
    `rooms` returns the tables of open rooms. `run_table` runs a table process and returns its
    output (`TableProbe`); None if the lobby launches no tables. `clock` returns seconds.
    """

    def __init__(
        self,
        client: AgentClient,
        own: AgentClient,
        fleet: Fleet,
        rooms: Callable[[], Iterable[RoomTable]],
        run_table: TableOutput | None,
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._own = own
        self._fleet = fleet
        self._rooms = rooms
        self._run_table = run_table
        self._clock = clock
        self._processes: dict[str, TableProcess] = {}
        self._describers: dict[str, str] = {}
        """The origin that describes each game, by game type."""
        self._launched: dict[str, GameSource] = {}
        self._specifications = LruDict[_Key, Specification](_MAX_SPECIFICATIONS)
        self._fetches: dict[_Key, asyncio.Task[Specification]] = {}
        self._polled_rooms: set[str] = set()
        self._polled_at = self._launched_at = float("-inf")
        self._rounds = 0
        self._wait_until = 0.0
        self._round: asyncio.Task[None] | None = None
        self._launched_refresh: asyncio.Task[None] | None = None

    async def offered(self) -> GameList:
        """Return every game that can be played now, sorted by game type."""
        sources = await self._sources()
        return GameList(games=tuple(_line(source.game) for source in sources.values()))

    async def specification(self, game_type: str) -> Specification:
        """May raise CommandRefused: GAME_NOT_FOUND, NO_TABLE, AGENT_…."""
        source = (await self._sources()).get(game_type)
        if source is None:
            raise CommandRefused(
                Reason.GAME_NOT_FOUND, f"No table here plays {game_type[:128]}; see /api/games."
            )
        key = (game_type, source.game.version, source.card_url)
        specification = self._specifications.get(key)
        if specification is not None:
            return specification
        fetch = self._fetches.get(key)
        if fetch is None:  # concurrent callers share a fetch, which may run a process
            fetch = self._fetches[key] = asyncio.create_task(self._fetch(source))
            fetch.add_done_callback(lambda task: self._fetched(key, task))
        return await asyncio.shield(fetch)

    async def close(self) -> None:
        running = (self._round, self._launched_refresh, *self._fetches.values())
        tasks = [task for task in running if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _fetched(self, key: _Key, task: asyncio.Task[Specification]) -> None:
        del self._fetches[key]
        if not task.cancelled() and task.exception() is None:
            self._specifications.put(key, task.result())

    async def _fetch(self, source: GameSource) -> Specification:
        content = await self._read(source)
        return Specification(content, entity_tag(content.encode()))

    async def _read(self, source: GameSource) -> str:
        if source.card_url is None:
            assert self._run_table is not None  # noqa: S101  the source came from it
            return await self._run_table(_SPECIFICATION, source.game.game_type)
        url = urljoin(source.card_url, source.game.specification)
        client = self._client if source.rank else self._own
        with translate_errors("The table"):
            content = await client.read(url, within=source.card_url, timeout=_TIMEOUT)
        return content.decode(errors="replace")

    async def _sources(self) -> dict[str, GameSource]:
        await self._refresh_launched()
        if self._round is None or (
            self._round.done()
            and (self._clock() - self._polled_at >= FRESH_S or self._has_new_room())
        ):
            self._round = asyncio.create_task(self._poll())
            self._wait_until = asyncio.get_running_loop().time() + PATIENCE_S
        wait_s = self._wait_until - asyncio.get_running_loop().time()
        if not self._round.done() and wait_s > 0:
            await asyncio.wait({self._round}, timeout=wait_s)
        return self._described()

    async def _refresh_launched(self) -> None:
        """Refresh the games of launched tables if due; only the first refresh is awaited."""
        if self._run_table is None:
            return
        is_first = self._launched_at == float("-inf")
        is_due = self._clock() - self._launched_at >= LAUNCHED_FRESH_S
        if is_due and (self._launched_refresh is None or self._launched_refresh.done()):
            self._launched_refresh = asyncio.create_task(self._read_launched(self._run_table))
        if is_first and self._launched_refresh is not None:
            await asyncio.shield(self._launched_refresh)

    def _room_tables(self) -> dict[str, RoomTable]:
        announced = {base_url(url) for url, _ in self._fleet.announced()}
        tables = (table for table in self._rooms() if base_url(table.card_url) not in announced)
        return {origin: table for table in tables if (origin := _origin(table.card_url))}

    def _has_new_room(self) -> bool:
        """Return whether a room has a new table, whose players ask for its game at once."""
        return any(table.card_url not in self._polled_rooms for table in self._rooms())

    async def _poll(self) -> None:
        """Poll every origin of tables; those that answered before come first."""
        self._rounds += 1
        self._polled_rooms = {table.card_url for table in self._rooms()}
        ranked = self._room_tables()
        live = {origin: table.card_url for origin, table in ranked.items()}
        for url, lives in self._fleet.announced():
            if lives and (origin := _origin(url)) is not None:
                live.setdefault(origin, url)
        self._processes = {
            origin: self._processes.get(origin, TableProcess(url)) for origin, url in live.items()
        }
        for origin, process in self._processes.items():
            table = ranked.get(origin)
            if table is None:
                process.rank = ANNOUNCED
            else:
                process.rank = LAUNCHED if table.is_launched else NAMED
        due = sorted(
            self._processes.values(), key=lambda process: (not process.games, process.polled_in)
        )
        await asyncio.gather(*map(self._poll_one, due[:_MAX_POLLED]))
        self._polled_at = self._clock()

    async def _poll_one(self, process: TableProcess) -> None:
        is_new, process.polled_in = not process.polled_in, self._rounds
        try:
            client = self._client if process.rank else self._own
            peer = await client.resolve(process.card_url, timeout=_TIMEOUT)
        except AgentError as error:
            if is_new or process.games:  # otherwise it was logged before
                logger.warning("games_unavailable", table=process.card_url[:300], error=str(error))
            process.games = {}
        else:
            process.games = games_on(peer.about, process.card_url, process.rank)

    async def _read_launched(self, run_table: TableOutput) -> None:
        try:
            card = orjson.loads(await run_table(_CARD))
            (extension, *_) = card["capabilities"]["extensions"]
            self._launched = games_on(extension.get("params", {}), None)
        except (CommandRefused, ValueError, KeyError, TypeError) as error:
            logger.warning("games_unavailable", table="launched", error=str(error))
            self._launched = {}
        finally:
            self._launched_at = self._clock()

    def _described(self) -> dict[str, GameSource]:
        chosen: dict[str, GameSource] = {}
        describers: dict[str, str] = {}
        for origin, process in sorted(self._processes.items(), key=lambda item: item[1].rank):
            for game_type, source in process.games.items():
                earlier = chosen.get(game_type)
                is_kept = self._describers.get(game_type) == origin
                if earlier is None or (is_kept and earlier.rank == source.rank):
                    describers[game_type], chosen[game_type] = origin, source
        self._describers = describers
        for game_type, source in self._launched.items():
            if game_type not in chosen or chosen[game_type].rank:
                chosen[game_type] = source
        return dict(sorted(chosen.items()))


def _origin(card_url: str) -> str | None:
    try:
        return str(origin_key(card_url))
    except ValueError:
        return None


def _line(game: OfferedGame) -> ListedGame:
    return ListedGame(
        game_type=game.game_type,
        name=game.name,
        category=game.category,
        game_model=game.game_model,
        players=game.players,
        spec_version=game.version,
        schema_format=game.schema_format,
    )
