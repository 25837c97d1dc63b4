"""Client of a lobby's game list and specifications (`GET /api/games…`).

A lobby is not trusted: time and memory are bounded, and every failure raises a GameSpecError.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
from casino_contracts.base import WireModel
from pydantic import ValidationError

from casino_gamespec.errors import GameNotOffered, LobbyUnavailable
from casino_gamespec.front_matter import GAME_TYPE, PlayerLimits
from casino_gamespec.game_spec import DOCUMENT_LIMIT

_OK, _NOT_MODIFIED, _NOT_FOUND = 200, 304, 404


class DiscoveredGame(WireModel):
    """One entry of the lobby's game list; only type and version are required."""

    game_type: str
    spec_version: str
    name: str | None = None
    category: str | None = None
    game_model: str | None = None
    players: PlayerLimits | None = None
    schema_format: str | None = None


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """The text of a specification, and its etag for a conditional request."""

    text: str
    etag: str | None


class Lobby:
    """A lobby's games, by a client of the caller; `timeout` bounds each request as a whole."""

    def __init__(self, http: httpx.AsyncClient, url: str, *, timeout: timedelta) -> None:
        self._http = http
        self._url = url.rstrip("/")
        self._shown = re.sub(r"//[^/]*@", "//", self._url)  # in errors, without credentials
        self._timeout = timeout

    async def games(self) -> tuple[DiscoveredGame, ...]:
        """Return the games offered. Raises LobbyUnavailable. Invalid entries are skipped."""
        reply = await self._get("/api/games", {"accept": "application/json"})
        try:
            listed = json.loads(reply.content)["games"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise LobbyUnavailable(
                f'{reply.url}: the reply must be {{"games": […]}}, got {reply.kind}'
            ) from error
        if not isinstance(listed, list):
            raise LobbyUnavailable(f"{reply.url}: games must be a list")
        return tuple(game for entry in listed if (game := _parse_entry(entry)) is not None)

    async def specification(
        self, game_type: str, *, etag: str | None = None
    ) -> FetchedDocument | None:
        """Return it, or None if it still has the etag; raises GameNotOffered, LobbyUnavailable."""
        if GAME_TYPE.fullmatch(game_type) is None:
            raise GameNotOffered(f"{game_type!r:.80} is not a valid game type")
        headers = {"accept": "text/markdown, text/plain;q=0.9"}
        if etag is not None:
            headers["if-none-match"] = etag
        reply = await self._get(f"/api/games/{game_type}/spec", headers)
        if reply.status == _NOT_FOUND:
            raise GameNotOffered(f"{reply.url}: {reply.problem}")
        if reply.status == _NOT_MODIFIED:
            if etag is None:
                raise LobbyUnavailable(f"{reply.url}: 304 to a request without an etag")
            return None
        if "html" in reply.kind:
            raise LobbyUnavailable(f"{reply.url}: the reply must be Markdown, got {reply.kind}")
        try:
            text = reply.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise LobbyUnavailable(f"{reply.url}: the document is not UTF-8") from error
        return FetchedDocument(text, reply.etag)

    async def _get(self, path: str, headers: Mapping[str, str]) -> "_Reply":
        url = self._shown + path
        try:
            async with asyncio.timeout(self._timeout.total_seconds()):
                # Not compressed: a few compressed bytes may expand to gigabytes.
                plain = {**headers, "accept-encoding": "identity"}
                async with self._http.stream(
                    "GET", self._url + path, headers=plain, timeout=None
                ) as response:
                    reply = await _Reply.of(url, response)
        except TimeoutError as error:
            seconds = self._timeout.total_seconds()
            raise LobbyUnavailable(f"{url}: no complete reply within {seconds:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            message = str(error) or type(error).__name__
            raise LobbyUnavailable(f"{url}: {message:.200}") from error
        is_spec = path.endswith("/spec")
        allowed = {_OK, _NOT_FOUND, _NOT_MODIFIED} if is_spec else {_OK}
        if reply.status not in allowed:
            raise LobbyUnavailable(f"{url}: {reply.problem}")
        return reply


@dataclass(frozen=True, slots=True)
class _Reply:
    """A complete reply."""

    url: str
    status: int
    kind: str
    etag: str | None
    content: bytes

    @classmethod
    async def of(cls, url: str, response: httpx.Response) -> "_Reply":
        if response.headers.get("content-encoding", "identity") != "identity":
            raise LobbyUnavailable(f"{url}: the reply is compressed, though identity was requested")
        content = bytearray()
        async for chunk in response.aiter_raw():
            content += chunk
            if len(content) > DOCUMENT_LIMIT:
                raise LobbyUnavailable(f"{url}: the reply is larger than {DOCUMENT_LIMIT} bytes")
        kind = response.headers.get("content-type", "no content type")
        return cls(url, response.status_code, kind, response.headers.get("etag"), bytes(content))

    @property
    def problem(self) -> str:
        """The status, with the detail or title if the reply is a problem of RFC 9457."""
        detail: Any = None
        if "json" in self.kind:
            try:
                problem = json.loads(self.content)
                detail = problem.get("detail") or problem.get("title")
            except (ValueError, AttributeError, RecursionError):
                detail = None
        text = str(detail) if detail else f"answered {self.kind}"
        clean = "".join(letter for letter in text[:200] if letter.isprintable())
        return f"HTTP {self.status}: {clean}"


def _parse_entry(entry: object) -> DiscoveredGame | None:
    try:
        return DiscoveredGame.model_validate(entry)
    except ValidationError:
        return None
