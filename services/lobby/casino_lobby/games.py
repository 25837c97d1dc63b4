"""The games that can be played here, read off the cards of the tables that play them.

The lobby knows no game. A package that is dropped in and a table that is started with it are
enough for a new one to appear.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import orjson
import structlog
from casino_agentkit import AgentClient, AgentError, Refusal
from casino_contracts import GameLine, GameList, OfferedGame
from pydantic import ValidationError

from casino_lobby.agents import speaking_for
from casino_lobby.fleet import Fleet

FRESH_S = 2.0
"""So long a list is given again without asking anybody."""
LAUNCHED_FRESH_S = 60.0
"""Asking a table of the lobby's own takes a process."""
_DOCUMENTS_KEPT, _GAMES_OF_A_CARD = 100, 100
"""Strangers' cards may say anything."""
_TIMEOUT = timedelta(seconds=3)
_CARD, _SPECIFICATION = "--card", "--specification"

Telling = Callable[..., Awaitable[str]]

logger = structlog.get_logger(__name__)


class _Source(NamedTuple):
    """Who plays a game; `card_url` is None for a table that the lobby would launch."""

    game: OfferedGame
    card_url: str | None

    @property
    def age(self) -> tuple[tuple[int, ...], bool]:
        """What the newest has most of; at the same version the lobby's own table is believed."""
        return tuple(map(int, self.game.version.split("."))), self.card_url is None


class Specification(NamedTuple):
    """A game's description as Markdown, and the tag by which its bytes are known again."""

    content: str
    tag: str


class Games:
    """Asks the tables, at most every few seconds.

    `told` returns what a table of the lobby's own says (`TableLauncher.told`); None: it launches
    none. `clock` gives seconds.
    """

    def __init__(
        self,
        client: AgentClient,
        fleet: Fleet,
        told: Telling | None,
        clock: Callable[[], float],
    ) -> None:
        self._client = client
        self._fleet = fleet
        self._told = told
        self._clock = clock
        self._known: dict[str, _Source] = {}
        self._asked_at = self._launched_at = float("-inf")
        self._launched: list[_Source] = []
        self._documents: dict[tuple[str, str, str | None], Specification] = {}
        self._asking = asyncio.Lock()

    async def offered(self) -> GameList:
        """Return every game that can be played at the moment, by name of its type."""
        return GameList(games=tuple(_line(one.game) for one in (await self._sources()).values()))

    async def specification(self, game_type: str) -> Specification:
        """Return a game's specification; raises Refusal: GAME_NOT_FOUND, NO_TABLE, AGENT_…."""
        source = (await self._sources()).get(game_type)
        if source is None:
            raise Refusal(
                "GAME_NOT_FOUND", f"No table here plays {game_type[:128]}; see /api/games."
            )
        key = (game_type, source.game.version, source.card_url)
        known = self._documents.get(key)
        if known is None:
            content = await self._fetched(source)
            tag = hashlib.blake2b(content.encode(), digest_size=12).hexdigest()
            known = self._documents[key] = Specification(content, tag)
            if len(self._documents) > _DOCUMENTS_KEPT:
                del self._documents[next(iter(self._documents))]
        return known

    async def _fetched(self, source: _Source) -> str:
        if source.card_url is None:
            assert self._told is not None  # noqa: S101  it told of the game
            return await self._told(_SPECIFICATION, source.game.game_type)
        url = urljoin(source.card_url, source.game.specification)
        with speaking_for("The table"):
            return (await self._client.read(url, timeout=_TIMEOUT)).decode(errors="replace")

    async def _sources(self) -> dict[str, _Source]:
        async with self._asking:
            now = self._clock()
            if now - self._asked_at >= FRESH_S:
                self._known = await self._ask(now)
                self._asked_at = self._clock()
            return self._known

    async def _ask(self, now: float) -> dict[str, _Source]:
        # Tables of one process play the same games.
        processes = {urlsplit(url).netloc: url for url, lives in self._fleet.announced() if lives}
        if self._told is not None and now - self._launched_at >= LAUNCHED_FRESH_S:
            self._launched = await self._of_a_launched_one(self._told)
            self._launched_at = self._clock()
        announced = await asyncio.gather(*map(self._of_card, processes.values()))
        newest: dict[str, _Source] = {}
        for source in sum(announced, self._launched):
            other = newest.get(source.game.game_type)
            if other is None or source.age > other.age:
                newest[source.game.game_type] = source
        return dict(sorted(newest.items()))

    async def _of_card(self, card_url: str) -> list[_Source]:
        try:
            peer = await self._client.resolve(card_url, timeout=_TIMEOUT)
        except AgentError as error:
            logger.warning("games_not_told", table=card_url, error=str(error))
            return []
        return _offered(peer.about, card_url)

    async def _of_a_launched_one(self, told: Telling) -> list[_Source]:
        try:
            card = orjson.loads(await told(_CARD))
            (extension, *_) = card["capabilities"]["extensions"]
            return _offered(extension.get("params", {}), None)
        except (Refusal, ValueError, KeyError, TypeError) as error:
            logger.warning("games_not_told", table="launched", error=str(error))
            return []


def _offered(about: dict[str, Any], card_url: str | None) -> list[_Source]:
    """Return the games of a card; a line that cannot be read is left out."""
    told = about.get("games")
    sources = []
    for line in told[:_GAMES_OF_A_CARD] if isinstance(told, list) else ():
        try:
            sources.append(_Source(OfferedGame.model_validate(line), card_url))
        except ValidationError as error:
            logger.warning("game_left_out", table=card_url, faults=error.error_count())
    return sources


def _line(game: OfferedGame) -> GameLine:
    return GameLine(
        game_type=game.game_type,
        name=game.name,
        category=game.category,
        game_model=game.game_model,
        players=game.players,
        spec_version=game.version,
        schema_format=game.schema_format,
    )
