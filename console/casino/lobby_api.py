"""The lobby's REST as the console uses it: one method per operation, errors in plain words."""

import ssl
from collections.abc import AsyncGenerator, Mapping
from typing import Any
from urllib.parse import quote

import httpx
from casino_contracts import (
    CreateRoomInput,
    EventPage,
    GameList,
    HandDetail,
    HandPage,
    HandSummary,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    RoomSummary,
    StartOverrides,
    TableSummary,
)

from casino.formatting import tame
from casino.operator_key import CONSOLE_KEY, OperatorKey
from casino.sse import Decoder, ServerSentEvent

_TIMEOUT_S = 30.0
_SILENCE_S = 45.0  # of a stream: three of the lobby's heartbeats
_EVENTS_PER_PAGE = 1000
_PER_PAGE = 100


class LobbyError(Exception):
    """The lobby said no, or cannot be reached; the message is for a person.

    `reason` is the problem's stable word, "" when there is none.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class LobbyAway(LobbyError):
    """Nobody answers, or nobody can for the moment: the same again may work later."""


class LobbyApi:
    """A lobby at a URL, commanded with its operator's key if there is one.

    `trusted` is whom it trusts where the URL is https; None: the system's authorities.
    """

    def __init__(
        self,
        url: str,
        transport: httpx.AsyncBaseTransport | None = None,
        key: OperatorKey | None = None,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._url = url
        self._key = key or OperatorKey(CONSOLE_KEY)
        # A lobby is found directly: what proxies a machine has are for other places. And no answer
        # of it leads elsewhere, where the key would go, too.
        self._http = httpx.AsyncClient(
            base_url=url,
            headers=self._key.headers(),
            timeout=_TIMEOUT_S,
            transport=transport,
            verify=trusted or True,
            trust_env=False,
            follow_redirects=False,
        )

    async def rooms(self, status: str | None = None) -> RoomList:
        """Return every room, or those of a status; raises LobbyError."""
        rooms: list[RoomSummary] = []
        after: str | None = None
        while True:
            query = {"status": status, "after": after, "limit": _PER_PAGE}
            page = RoomList.model_validate_json(await self._send("GET", "/v1/rooms", query=query))
            rooms += page.rooms
            if page.next is None:
                return RoomList(rooms=tuple(rooms))
            after = page.next

    async def games(self) -> GameList:
        """Return the games that can be played; raises LobbyError."""
        return GameList.model_validate_json(await self._send("GET", "/api/games"))

    async def create_room(self, room: CreateRoomInput) -> RoomSnapshot:
        """Open a room; raises LobbyError."""
        content = await self._send("POST", "/v1/rooms", room.model_dump(mode="json"))
        return RoomSnapshot.model_validate_json(content)

    async def register(self, player: RegisterPlayerInput) -> RegisteredPlayer:
        """Seat a player; raises LobbyError."""
        body = player.model_dump(mode="json")
        path = f"{_room(body.pop('roomId'))}/players"
        return RegisteredPlayer.model_validate_json(await self._send("POST", path, body))

    async def leave(self, room_id: str, player_id: str) -> TableSummary:
        """Give a player's seat back, after the running hand; raises LobbyError."""
        path = f"{_room(room_id)}/players/{quote(player_id, safe='')}"
        return TableSummary.model_validate_json(await self._send("DELETE", path))

    async def start(self, room_id: str, overrides: StartOverrides | None = None) -> TableSummary:
        """Begin a session; raises LobbyError."""
        body = overrides.model_dump(mode="json") if overrides else {}
        content = await self._send("POST", f"{_room(room_id)}/start", body)
        return TableSummary.model_validate_json(content)

    async def room(self, room_id: str) -> RoomSnapshot:
        """Return a room; raises LobbyError."""
        return RoomSnapshot.model_validate_json(await self._send("GET", _room(room_id)))

    async def close_room(self, room_id: str) -> RoomSnapshot:
        """Close a room, after the running hand; raises LobbyError."""
        return RoomSnapshot.model_validate_json(await self._send("DELETE", _room(room_id)))

    async def events(self, room_id: str, after: int, epoch: int) -> EventPage:
        """Return the next events of an epoch after a sequence; raises LobbyError."""
        query = {"after": after, "limit": _EVENTS_PER_PAGE, "epoch": epoch}
        content = await self._send("GET", f"{_room(room_id)}/events", query=query)
        return EventPage.model_validate_json(content)

    async def hands(self, room_id: str, order: str, at_most: int) -> HandPage:
        """Return completed hands, `order` being `oldest` or `newest` first; raises LobbyError."""
        hands: list[HandSummary] = []
        after: str | None = None
        while True:
            query = {
                "order": order if order == "newest" else None,
                "after": after,
                "limit": min(_PER_PAGE, at_most - len(hands)),
            }
            content = await self._send("GET", f"{_room(room_id)}/hands", query=query)
            page = HandPage.model_validate_json(content)
            hands += page.hands
            after = page.next
            if after is None or len(hands) >= at_most:
                return HandPage(hands=tuple(hands), next=after)

    async def hand(self, room_id: str, number: int, epoch: int | None = None) -> HandDetail:
        """Return one completed hand, of the newest epoch unless told; raises LobbyError."""
        path = f"{_room(room_id)}/hands/{number}"
        return HandDetail.model_validate_json(await self._send("GET", path, query={"epoch": epoch}))

    async def stream(
        self, room_id: str | None, decoder: Decoder
    ) -> AsyncGenerator[ServerSentEvent, None]:
        """Return what happens in a room, or in all, until the connection ends.

        It goes on behind the decoder's last id. Raises LobbyError, LobbyAway when it breaks off.
        """
        path = "/v1/stream" if room_id is None else f"{_room(room_id)}/stream"
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        if decoder.last_id:
            headers["last-event-id"] = decoder.last_id
        timeout = httpx.Timeout(_TIMEOUT_S, read=_SILENCE_S)
        try:
            async with self._http.stream("GET", path, headers=headers, timeout=timeout) as reply:
                if not reply.is_success:
                    await reply.aread()
                    raise self._refusal(reply)
                if not reply.headers.get("content-type", "").startswith("text/event-stream"):
                    raise LobbyError(f"{self._url} has no stream of events; is it a lobby?")
                async for piece in reply.aiter_bytes():
                    for event in decoder.feed(piece):
                        yield event
        except httpx.HTTPError as error:
            raise self._away(error) from error

    async def close(self) -> None:
        """Let go of the connection."""
        await self._http.aclose()

    async def _send(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, str | int | None] | None = None,
    ) -> bytes:
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            reply = await self._http.request(method, path, json=body, params=asked)
        except httpx.HTTPError as error:
            raise self._away(error) from error
        if not reply.is_success:
            raise self._refusal(reply)
        if "json" not in reply.headers.get("content-type", ""):
            raise LobbyError(f"{self._url} answers, but not as a lobby does")
        return reply.content

    def _refusal(self, reply: httpx.Response) -> LobbyError:
        if reply.status_code == httpx.codes.UNAUTHORIZED:
            return LobbyError(self._key.refused(), "UNAUTHORIZED")
        return _refusal(reply)

    def _away(self, error: httpx.HTTPError) -> LobbyAway:
        why = str(error) or type(error).__name__
        return LobbyAway(f"the lobby at {self._url} does not answer: {why}")


def _room(room_id: str) -> str:
    return f"/v1/rooms/{quote(room_id, safe='')}"


def _refusal(reply: httpx.Response) -> LobbyError:
    """Return what a problem document says, every faulty field named."""
    try:
        problem = reply.json()
        reason = str(problem.get("reason", ""))
        told = "; ".join(map(_fault, problem.get("errors", ()))) or problem["detail"]
        message = tame(f"{problem['title']}: {told}")
    except (ValueError, KeyError, TypeError, AttributeError):
        message, reason = f"HTTP status {reply.status_code} {reply.reason_phrase}".strip(), ""
    is_passing = reply.status_code == httpx.codes.TOO_MANY_REQUESTS or reply.is_server_error
    return (LobbyAway if is_passing else LobbyError)(message, reason)


def _fault(error: Mapping[str, str]) -> str:
    field = error.get("pointer", "").removeprefix("#/").replace("/", ".")
    return f"{field}: {error['detail']}" if field else error["detail"]
