"""Catalogue of playable games, read from the agent cards of the tables.

The lobby has no built-in games. A new game appears once a table that plays it is running.

If several tables play a game, one of them describes it: a launched table if there is one,
otherwise the table that offered the game first, as long as it offers it. A table that announces
itself later with a newer version does not replace it.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urljoin

import orjson
import structlog
from casino_agentkit import AgentClient, AgentError, CommandRefused
from casino_agentkit.client.origin import origin_of, same_origin_key
from casino_contracts import GameList, ListedGame, OfferedGame
from pydantic import ValidationError

from casino_lobby.domain.fleet import Fleet
from casino_lobby.tables.agent_errors import translate_errors

FRESH_S = 2.0
"""How long a list is cached, in seconds."""
LAUNCHED_FRESH_S = 60.0
"""How long the games of launched tables are cached; reading them starts a process."""
PATIENCE_S = 1.0
"""How long a list waits for the tables; after that it returns the results so far."""
_MAX_SPECIFICATIONS, _MAX_GAMES_PER_CARD, _MAX_POLLED = 100, 100, 256
"""Limits on the memory and the calls that third-party cards can cause."""
_TIMEOUT = timedelta(seconds=3)
_CARD, _SPECIFICATION = "--card", "--specification"

TableOutput = Callable[..., Awaitable[str]]

logger = structlog.get_logger(__name__)


class _Source(NamedTuple):
    """A table that plays a game; `card_url` is None for a table that the lobby would launch."""

    game: OfferedGame
    card_url: str | None


class Specification(NamedTuple):
    """A game's specification as Markdown, and its entity tag."""

    content: str
    tag: str


@dataclass
class _Process:
    """Games of the tables of one origin; tables of one process play the same games."""

    card_url: str
    games: dict[str, _Source] = field(default_factory=dict)
    polled_in: int = 0
    """The round in which it was polled last; 0 before the first."""


class Games:
    """Polls the tables, at most every `FRESH_S` seconds.

    `client` limits the number of concurrent calls (`CallSlots`).
    `run_table` runs a table process and returns its output (`TableProbe`); None if the lobby
    launches no tables. `clock` returns seconds.
    """

    def __init__(
        self,
        client: AgentClient,
        fleet: Fleet,
        run_table: TableOutput | None,
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._fleet = fleet
        self._run_table = run_table
        self._clock = clock
        self._processes: dict[str, _Process] = {}
        self._describers: dict[str, str] = {}
        """The origin that describes each game, by game type."""
        self._launched: dict[str, _Source] = {}
        self._specifications: dict[tuple[str, str, str | None], Specification] = {}
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
        """Return a game's specification.

        Raises CommandRefused: GAME_NOT_FOUND, NO_TABLE, AGENT_….
        """
        source = (await self._sources()).get(game_type)
        if source is None:
            raise CommandRefused(
                "GAME_NOT_FOUND", f"No table here plays {game_type[:128]}; see /api/games."
            )
        key = (game_type, source.game.version, source.card_url)
        specification = self._specifications.get(key)
        if specification is None:
            content = await self._fetch(source)
            tag = hashlib.blake2b(content.encode(), digest_size=12).hexdigest()
            specification = self._specifications[key] = Specification(content, tag)
            if len(self._specifications) > _MAX_SPECIFICATIONS:
                del self._specifications[next(iter(self._specifications))]
        return specification

    async def close(self) -> None:
        """Cancel running polls."""
        tasks = [task for task in (self._round, self._launched_refresh) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _fetch(self, source: _Source) -> str:
        if source.card_url is None:
            assert self._run_table is not None  # noqa: S101  the source came from it
            return await self._run_table(_SPECIFICATION, source.game.game_type)
        url = urljoin(source.card_url, source.game.specification)
        with translate_errors("The table"):
            content = await self._client.read(url, within=source.card_url, timeout=_TIMEOUT)
        return content.decode(errors="replace")

    async def _sources(self) -> dict[str, _Source]:
        await self._refresh_launched()
        if self._round is None or (
            self._round.done() and self._clock() - self._polled_at >= FRESH_S
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

    async def _poll(self) -> None:
        """Poll every origin of live announced tables; those that answered before come first."""
        self._rounds += 1
        live: dict[str, str] = {}
        for url, lives in self._fleet.announced():
            if lives and (origin := _origin(url)) is not None:
                live.setdefault(origin, url)
        self._processes = {
            origin: self._processes.get(origin, _Process(url)) for origin, url in live.items()
        }
        due = sorted(
            self._processes.values(), key=lambda process: (not process.games, process.polled_in)
        )
        await asyncio.gather(*map(self._poll_one, due[:_MAX_POLLED]))
        self._polled_at = self._clock()

    async def _poll_one(self, process: _Process) -> None:
        is_new, process.polled_in = not process.polled_in, self._rounds
        try:
            peer = await self._client.resolve(process.card_url, timeout=_TIMEOUT)
        except AgentError as error:
            if is_new or process.games:  # otherwise it was logged before
                logger.warning("games_unavailable", table=process.card_url[:300], error=str(error))
            process.games = {}
        else:
            process.games = _offered(peer.about, process.card_url)

    async def _read_launched(self, run_table: TableOutput) -> None:
        try:
            card = orjson.loads(await run_table(_CARD))
            (extension, *_) = card["capabilities"]["extensions"]
            self._launched = _offered(extension.get("params", {}), None)
        except (CommandRefused, ValueError, KeyError, TypeError) as error:
            logger.warning("games_unavailable", table="launched", error=str(error))
            self._launched = {}
        finally:
            self._launched_at = self._clock()

    def _described(self) -> dict[str, _Source]:
        """Return the table that describes each game, sorted by game type."""
        chosen: dict[str, _Source] = {}
        first: dict[str, str] = {}
        for origin, process in self._processes.items():
            for game_type, source in process.games.items():
                if game_type not in first or self._describers.get(game_type) == origin:
                    first[game_type], chosen[game_type] = origin, source
        self._describers = first
        return dict(sorted({**chosen, **self._launched}.items()))


def _origin(card_url: str) -> str | None:
    try:
        return same_origin_key(str(origin_of(card_url)))
    except ValueError:
        return None


def _offered(about: dict[str, Any], card_url: str | None) -> dict[str, _Source]:
    """Return the games of a card by game type; invalid entries are skipped."""
    listed = about.get("games")
    sources: dict[str, _Source] = {}
    invalid = 0
    for line in listed[:_MAX_GAMES_PER_CARD] if isinstance(listed, list) else ():
        try:
            game = OfferedGame.model_validate(line)
        except ValidationError:
            invalid += 1
        else:
            sources.setdefault(game.game_type, _Source(game, card_url))
    if invalid:
        logger.warning("games_invalid", table=card_url and card_url[:300], entries=invalid)
    return sources


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
