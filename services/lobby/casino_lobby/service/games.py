"""The games that can be played here, read off the cards of the tables that play them.

The lobby knows no game. A package that is dropped in and a table that is started with it are
enough for a new one to appear.

Of several tables that play a game one describes it: a table of the lobby's own if there is one,
else the table that offered the game first, for as long as it offers it. A table that announces
itself later with a newer version changes nothing.
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
"""So long a list is given again without asking anybody."""
LAUNCHED_FRESH_S = 60.0
"""Asking a table of the lobby's own takes a process."""
PATIENCE_S = 1.0
"""So long a list waits for the tables; then it tells what is known, while they are being asked."""
_DOCUMENTS_KEPT, _GAMES_OF_A_CARD, _ASKED_AT_ONCE = 100, 100, 256
"""Strangers' cards may say anything, and there may be many of them."""
_TIMEOUT = timedelta(seconds=3)
_CARD, _SPECIFICATION = "--card", "--specification"

Telling = Callable[..., Awaitable[str]]

logger = structlog.get_logger(__name__)


class _Source(NamedTuple):
    """Who plays a game; `card_url` is None for a table that the lobby would launch."""

    game: OfferedGame
    card_url: str | None


class Specification(NamedTuple):
    """A game's description as Markdown, and the tag by which its bytes are known again."""

    content: str
    tag: str


@dataclass
class _Process:
    """What the tables of one origin offer: those of one process play the same games."""

    card_url: str
    games: dict[str, _Source] = field(default_factory=dict)
    asked_in: int = 0
    """The round in which it was asked last."""


class Games:
    """Asks the tables, at most every few seconds.

    `client` limits how many are asked at a time (`CallSlots`).
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
        self._processes: dict[str, _Process] = {}
        self._first: dict[str, str] = {}
        """The origin that describes a game."""
        self._launched: dict[str, _Source] = {}
        self._documents: dict[tuple[str, str, str | None], Specification] = {}
        self._asked_at = self._launched_at = float("-inf")
        self._rounds = 0
        self._patient_until = 0.0
        self._round: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None

    async def offered(self) -> GameList:
        """Return every game that can be played at the moment, by name of its type."""
        return GameList(games=tuple(_line(one.game) for one in (await self._sources()).values()))

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
        known = self._documents.get(key)
        if known is None:
            content = await self._fetched(source)
            tag = hashlib.blake2b(content.encode(), digest_size=12).hexdigest()
            known = self._documents[key] = Specification(content, tag)
            if len(self._documents) > _DOCUMENTS_KEPT:
                del self._documents[next(iter(self._documents))]
        return known

    async def close(self) -> None:
        """Ask nobody any more."""
        tasks = [task for task in (self._round, self._telling) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _fetched(self, source: _Source) -> str:
        if source.card_url is None:
            assert self._told is not None  # noqa: S101  it told of the game
            return await self._told(_SPECIFICATION, source.game.game_type)
        url = urljoin(source.card_url, source.game.specification)
        with translate_errors("The table"):
            content = await self._client.read(url, within=source.card_url, timeout=_TIMEOUT)
        return content.decode(errors="replace")

    async def _sources(self) -> dict[str, _Source]:
        await self._hear_own()
        if self._round is None or (
            self._round.done() and self._clock() - self._asked_at >= FRESH_S
        ):
            self._round = asyncio.create_task(self._ask())
            self._patient_until = asyncio.get_running_loop().time() + PATIENCE_S
        patience = self._patient_until - asyncio.get_running_loop().time()
        if not self._round.done() and patience > 0:
            await asyncio.wait({self._round}, timeout=patience)
        return self._described()

    async def _hear_own(self) -> None:
        """Hear a table of the lobby's own; only the first time anybody waits for it."""
        if self._told is None:
            return
        is_first = self._launched_at == float("-inf")
        is_due = self._clock() - self._launched_at >= LAUNCHED_FRESH_S
        if is_due and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(self._of_a_launched_one(self._told))
        if is_first and self._telling is not None:
            await asyncio.shield(self._telling)

    async def _ask(self) -> None:
        """Ask every process of tables that announced itself, those first that answered before."""
        self._rounds += 1
        live: dict[str, str] = {}
        for url, lives in self._fleet.announced():
            if lives and (origin := _origin(url)) is not None:
                live.setdefault(origin, url)
        self._processes = {
            origin: self._processes.get(origin, _Process(url)) for origin, url in live.items()
        }
        waiting = sorted(
            self._processes.values(), key=lambda process: (not process.games, process.asked_in)
        )
        await asyncio.gather(*map(self._ask_one, waiting[:_ASKED_AT_ONCE]))
        self._asked_at = self._clock()

    async def _ask_one(self, process: _Process) -> None:
        is_new, process.asked_in = not process.asked_in, self._rounds
        try:
            peer = await self._client.resolve(process.card_url, timeout=_TIMEOUT)
        except AgentError as error:
            if is_new or process.games:  # else it was said before
                logger.warning("games_not_told", table=process.card_url[:300], error=str(error))
            process.games = {}
        else:
            process.games = _offered(peer.about, process.card_url)

    async def _of_a_launched_one(self, told: Telling) -> None:
        try:
            card = orjson.loads(await told(_CARD))
            (extension, *_) = card["capabilities"]["extensions"]
            self._launched = _offered(extension.get("params", {}), None)
        except (CommandRefused, ValueError, KeyError, TypeError) as error:
            logger.warning("games_not_told", table="launched", error=str(error))
            self._launched = {}
        finally:
            self._launched_at = self._clock()

    def _described(self) -> dict[str, _Source]:
        """Return for each game who describes it, by name of its type."""
        chosen: dict[str, _Source] = {}
        first: dict[str, str] = {}
        for origin, process in self._processes.items():
            for game_type, source in process.games.items():
                if game_type not in first or self._first.get(game_type) == origin:
                    first[game_type], chosen[game_type] = origin, source
        self._first = first
        return dict(sorted({**chosen, **self._launched}.items()))


def _origin(card_url: str) -> str | None:
    try:
        return same_origin_key(str(origin_of(card_url)))
    except ValueError:
        return None


def _offered(about: dict[str, Any], card_url: str | None) -> dict[str, _Source]:
    """Return the games of a card by their types; a line that cannot be read is left out."""
    listed = about.get("games")
    sources: dict[str, _Source] = {}
    unreadable = 0
    for line in listed[:_GAMES_OF_A_CARD] if isinstance(listed, list) else ():
        try:
            game = OfferedGame.model_validate(line)
        except ValidationError:
            unreadable += 1
        else:
            sources.setdefault(game.game_type, _Source(game, card_url))
    if unreadable:
        logger.warning("games_left_out", table=card_url and card_url[:300], lines=unreadable)
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
