"""Cache of specifications by game and version, in memory and optionally on disk.

The document of a version never changes. So it is only fetched again when a message, or the lobby's
list of games, has a version that no cached specification serves.
"""

import asyncio
import os
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from casino_gamespec.errors import (
    GameNotOffered,
    GameSpecError,
    InvalidSpecification,
    VersionNotServed,
)
from casino_gamespec.front_matter import GAME_TYPE, Version
from casino_gamespec.game_spec import DOCUMENT_LIMIT, GameSpec
from casino_gamespec.spec_discovery import DiscoveredGame, Lobby

_CACHE_SIZE = 64
_FAILURE_CACHE_SIZE = 256

Key = tuple[str, Version]


class Specifications:
    """A lobby's specifications, fetched once for all callers, after failures not for `patience`."""

    def __init__(
        self,
        lobby: Lobby,
        *,
        clock: Callable[[], float],
        directory: Path | None = None,
        patience: timedelta = timedelta(seconds=15),
    ) -> None:
        self._lobby = lobby
        self._clock = clock
        self._directory = directory
        self._patience = patience.total_seconds()
        self._held: OrderedDict[Key, GameSpec] = OrderedDict()
        self._latest: dict[str, tuple[str | None, GameSpec]] = {}
        self._failures: OrderedDict[Key, tuple[GameSpecError, float]] = OrderedDict()
        self._fetches: dict[Key, asyncio.Task[GameSpec]] = {}
        self._listing: asyncio.Task[tuple[DiscoveredGame, ...]] | None = None

    def held(self, game_type: str, version: str) -> GameSpec | None:
        """Return a specification from memory that serves this version, None without one."""
        wanted = Version.parse(version)
        exact = self._held.get((game_type, wanted))
        if exact is not None:
            self._held.move_to_end((game_type, wanted))
            return exact
        serving = [
            spec
            for (name, held), spec in self._held.items()
            if name == game_type and held.serves(wanted)
        ]
        return min(serving, key=lambda spec: spec.version) if serving else None

    async def find(self, game_type: str, version: str) -> GameSpec:
        """Return a version's specification, cached or fetched; raises a GameSpecError."""
        return await self._find(game_type, version, is_offered=False)

    async def current(self, game_type: str) -> GameSpec:
        """Return the specification of the lobby's current version; raises a GameSpecError."""
        return await self._find(game_type, await self._offered(game_type), is_offered=True)

    async def _find(self, game_type: str, version: str, *, is_offered: bool) -> GameSpec:
        cached = self.held(game_type, version)
        if cached is not None:
            return cached
        key = (game_type, Version.parse(version))
        error, until = self._failures.get(key, (None, 0.0))
        # A lobby that has just sent its list is asked again; a broken document is not.
        is_final = isinstance(error, InvalidSpecification) or not is_offered
        if error is not None and is_final and self._clock() < until:
            raise error
        fetch = self._fetches.get(key)
        if fetch is None:
            fetch = asyncio.create_task(self._fetch(key, is_offered=is_offered))
            self._fetches[key] = fetch
            fetch.add_done_callback(lambda task: self._fetched(key, task))
        return await asyncio.shield(fetch)

    async def close(self) -> None:
        """Cancel the fetches in progress."""
        fetches: list[asyncio.Task[Any]] = list(self._fetches.values())
        if self._listing is not None:
            fetches.append(self._listing)
        for fetch in fetches:
            fetch.cancel()
        await asyncio.gather(*fetches, return_exceptions=True)

    def _fetched(self, key: Key, task: asyncio.Task[GameSpec]) -> None:
        self._fetches.pop(key, None)
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, GameSpecError):
            self._failures[key] = error, self._clock() + self._patience
            if len(self._failures) > _FAILURE_CACHE_SIZE:
                self._failures.popitem(last=False)
        elif error is None:
            self._failures.pop(key, None)

    async def _offered(self, game_type: str) -> str:
        """Return the version of a game in the lobby's list; concurrent callers share one fetch."""
        if GAME_TYPE.fullmatch(game_type) is None:
            raise GameNotOffered(f"{game_type!r:.80} is not a valid game type")
        if self._listing is None or self._listing.done():
            self._listing = asyncio.create_task(self._lobby.games())
            # Marks an error as retrieved, in case every caller has given up.
            self._listing.add_done_callback(lambda task: task.cancelled() or task.exception())
        games = await asyncio.shield(self._listing)
        for game in games:
            if game.game_type == game_type:
                return game.spec_version
        names = ", ".join(game.game_type for game in games[:20]) or "none"
        raise GameNotOffered(f"{game_type} is not offered; the games are: {names:.300}")

    async def _fetch(self, key: Key, *, is_offered: bool) -> GameSpec:
        game_type, wanted = key
        if GAME_TYPE.fullmatch(game_type) is None:
            raise GameNotOffered(f"{game_type!r:.80} is not a valid game type")
        if self._directory is not None:
            stored = await asyncio.to_thread(_from_disk, self._directory, key)
            if stored is not None:
                self._hold(stored)
                return stored
        if not is_offered:
            await self._offered(game_type)
        spec = await self._from_lobby(game_type)
        self._hold(spec)
        if not spec.version.serves(wanted):
            raise VersionNotServed(
                f"{game_type}: the lobby's specification is {spec.version}, required is {wanted}"
            )
        return spec

    async def _from_lobby(self, game_type: str) -> GameSpec:
        etag, latest = self._latest.get(game_type, (None, None))
        fetched = await self._lobby.specification(game_type, etag=etag)
        if fetched is None:
            assert latest is not None  # noqa: S101  an etag is stored with its specification
            return latest
        # Parsing may take half a second, so it runs off the event loop.
        spec = await asyncio.to_thread(GameSpec.parse, fetched.text)
        if spec.game_type != game_type:
            raise InvalidSpecification(
                "front matter", f"gameType is {spec.game_type}, requested was {game_type}"
            )
        self._latest[game_type] = (fetched.etag, spec)
        if self._directory is not None:
            await asyncio.to_thread(_to_disk, self._directory, spec)
        return spec

    def _hold(self, spec: GameSpec) -> None:
        self._held[spec.game_type, spec.version] = spec
        if len(self._held) > _CACHE_SIZE:
            (game_type, _), _spec = self._held.popitem(last=False)
            self._latest.pop(game_type, None)


def _file(directory: Path, game_type: str, version: Version) -> Path:
    return directory / game_type / f"{version}.md"


def _from_disk(directory: Path, key: Key) -> GameSpec | None:
    """Return the stored specification of exactly this version, None if it is unreadable."""
    try:
        content = _file(directory, *key).read_bytes()
        if len(content) > DOCUMENT_LIMIT:
            return None
        spec = GameSpec.parse(content.decode())
    except (OSError, ValueError, GameSpecError):
        return None
    return spec if (spec.game_type, spec.version) == key else None


def _to_disk(directory: Path, spec: GameSpec) -> None:
    """Store a document atomically; errors of the file system are ignored."""
    target = _file(directory, spec.game_type, spec.version)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=target.parent, suffix=".part")
        with os.fdopen(descriptor, "wb") as file:
            file.write(spec.text.encode())
        Path(name).replace(target)
    except OSError:
        return
