"""REST client of a lobby: rooms, players, hands, events, and the bytes of its streams."""

import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from datetime import timedelta
from http import HTTPStatus
from typing import Any, TypeVar, get_args

import httpx
from casino_agentkit import Waits
from casino_contracts import (
    CreateRoomInput,
    EventPage,
    GameList,
    HandDetail,
    HandPage,
    HandProof,
    HandRecord,
    HandSummary,
    LobbyInfo,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    RoomSummary,
    SessionResults,
    Standings,
    StartOverrides,
    TableEvent,
    TableStatus,
    TableSummary,
    WaitReason,
    WireModel,
)
from casino_contracts.base import path_segment
from pydantic import ValidationError

from casino_lobby_client.errors import CallFailed, CallRefused, LobbyAway, UnknownRoom

Json = dict[str, Any]
Query = Mapping[str, str | int | None]
ReplyT = TypeVar("ReplyT", bound=WireModel)

OVER = {"closed", "failed"}  # states of a room in which nothing is played any more
LOBBY = "lobby"
"""The key of the waits for the lobby."""
STREAM = "stream of events"
_UNKNOWN_REASON = "REFUSED"
_LOBBY_AWAY = {"", "about:blank", "internal", "standby"}
"""Problems that say nothing of the request: the same one may succeed a little later."""
_TABLE_STATUSES = frozenset(get_args(TableStatus))
_EVENTS_PER_PAGE = 1_000
_PER_PAGE = 100
_DETAIL_LIMIT = 500
_WITH_TABLE_S = 35.0
"""Timeout of commands for which the lobby may start a process of a table, in at most 20 s, and
call it, in at most 10 s."""
_SILENCE_S = 45.0  # read timeout of a stream: three heartbeats of the lobby


def http_client(
    url: str,
    key: str | None,
    timeout: timedelta = timedelta(seconds=10),
    *,
    tls: ssl.SSLContext | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> httpx.AsyncClient:
    """Return an HTTP client for a server that gets the key, without the machine's proxies.

    Each room that is followed holds one connection. A redirect, which would get the key, is no
    answer. `tls` is the context of an https URL; None: the system's authorities.
    """
    return httpx.AsyncClient(
        base_url=url,
        headers={"authorization": f"Bearer {key}"} if key else {},
        timeout=timeout.total_seconds(),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        verify=tls or True,
        trust_env=False,
        follow_redirects=False,
        transport=transport,
    )


class LobbyClient:
    """The lobby's REST API; `http` has its address, and the operator's key where one is needed.

    Every method raises CallFailed: LobbyAway, UnknownRoom for a room, CallRefused for a command.
    `waits` have the wait for a lobby that does not answer, until it does.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        seating: timedelta = timedelta(seconds=30),
        waits: Waits | None = None,
    ) -> None:
        self.http = http
        self._waits = waits
        self._seating_s = seating.total_seconds()
        """How long the lobby may take to seat a player: it calls the seat's agent meanwhile."""

    async def look(self) -> None:
        """Ask a lobby that was away, so that its return is noted without any other call."""
        if self._waits is not None and self._waits.of(LOBBY):
            with suppress(CallFailed):
                await self.info()

    async def info(self) -> LobbyInfo:
        return await self._call("GET", "/v1/config", LobbyInfo)

    async def games(self) -> GameList:
        return await self._call("GET", "/api/games", GameList)

    async def rooms(self, status: str | None = None) -> RoomList:
        """Return all rooms, oldest first, or those with a status or a state."""
        name = "status" if status in _TABLE_STATUSES else "state"
        rooms: list[RoomSummary] = []
        after: str | None = None
        while True:
            query = {name: status, "after": after, "limit": _PER_PAGE}
            page = await self._call("GET", "/v1/rooms", RoomList, query=query)
            rooms += page.rooms
            if page.next is None or page.next == after:
                return RoomList(rooms=tuple(rooms))
            after = page.next

    async def open_rooms(self) -> list[RoomSummary]:
        """Return the rooms in which something can still be played, oldest first."""
        return [room for room in (await self.rooms()).rooms if room.state not in OVER]

    async def room(self, room_id: str) -> RoomSnapshot:
        return await self._call("GET", room_path(room_id), RoomSnapshot)

    async def create_room(self, order: CreateRoomInput | Json) -> RoomSnapshot:
        body = order.model_dump(mode="json") if isinstance(order, CreateRoomInput) else order
        return await self._call(
            "POST", "/v1/rooms", RoomSnapshot, body=body, timeout_s=_WITH_TABLE_S
        )

    async def start(self, room_id: str, overrides: StartOverrides | None = None) -> TableSummary:
        body = overrides.model_dump(mode="json") if overrides else {}
        path = f"{room_path(room_id)}/start"
        return await self._call("POST", path, TableSummary, body=body, timeout_s=_WITH_TABLE_S)

    async def close_room(self, room_id: str) -> RoomSnapshot:
        """Close a room after its running hand; one that is being opened is not closed by it."""
        return await self._call("DELETE", room_path(room_id), RoomSnapshot)

    async def register(
        self, player: RegisterPlayerInput, *, key: str | None = None
    ) -> RegisteredPlayer:
        """Seat a player; with the same `key` again, in the same seat."""
        body = player.model_dump(mode="json", exclude_defaults=True)
        return await self._call(
            "POST",
            f"{room_path(body.pop('roomId'))}/players",
            RegisteredPlayer,
            body=body,
            headers={} if key is None else {"idempotency-key": key},
            timeout_s=self._seating_s,
        )

    async def leave(self, room_id: str, player_id: str) -> TableSummary:
        """Give a player's seat back, after the running hand."""
        path = player_path(room_id, player_id)
        return await self._call("DELETE", path, TableSummary, timeout_s=self._seating_s)

    async def events(
        self, room_id: str, after: int, epoch: int | None = None, limit: int = _EVENTS_PER_PAGE
    ) -> EventPage:
        """Return a page of events after a sequence, of the current epoch by default."""
        query = {"after": after, "limit": limit, "epoch": epoch}
        return await self._call("GET", f"{room_path(room_id)}/events", EventPage, query=query)

    async def events_until(self, room_id: str, after: int, until: int) -> list[TableEvent]:
        """Return the events of the current epoch after a sequence, up to another one."""
        events: list[TableEvent] = []
        while after < until:
            page = await self.events(room_id, after, limit=min(_EVENTS_PER_PAGE, until - after))
            events += [event for event in page.events if (event.sequence or 0) <= until]
            if page.last_sequence <= after:
                break
            after = page.last_sequence
        return events

    async def hands(
        self,
        room_id: str,
        order: str,
        limit: int,
        *,
        player_id: str | None = None,
        kind: str | None = None,
    ) -> HandPage:
        """Return the `newest` or `oldest` first, or those with the highest `score` or `pot`."""
        hands: list[HandSummary] = []
        after: str | None = None
        while True:
            query = {
                "sort": None if order == "oldest" else order,
                "player": player_id,
                "kind": kind,
                "after": after,
                "limit": min(_PER_PAGE, limit - len(hands)),
            }
            page = await self.hand_page(room_id, query)
            hands += page.hands
            after = page.next
            if after is None or len(hands) >= limit:
                return HandPage(hands=tuple(hands), next=after)

    async def hand_page(self, room_id: str, query: Query) -> HandPage:
        return await self._call("GET", f"{room_path(room_id)}/hands", HandPage, query=query)

    async def hand(self, room_id: str, number: int, epoch: int | None = None) -> HandDetail:
        """Return one completed hand, of the newest epoch by default."""
        path = f"{room_path(room_id)}/hands/{number}"
        return await self._call("GET", path, HandDetail, query={"epoch": epoch})

    async def hand_proof(self, room_id: str, number: int, epoch: int | None = None) -> HandProof:
        """Return what anybody needs to check the deal of a hand."""
        path = f"{room_path(room_id)}/hands/{number}/proof"
        return await self._call("GET", path, HandProof, query={"epoch": epoch})

    async def hand_record(
        self, room_id: str, number: int, epoch: int | None = None, *, questions: bool = True
    ) -> HandRecord:
        path = f"{room_path(room_id)}/hands/{number}/record"
        query = {"epoch": epoch, "include": "questions" if questions else None}
        return await self._call("GET", path, HandRecord, query=query)

    async def results(self, room_id: str) -> SessionResults:
        """Return the signed results of a room's sessions, the newest first."""
        return await self._call("GET", f"{room_path(room_id)}/results", SessionResults)

    async def standings(self, room_id: str) -> Standings:
        """Return the results of a room's players, the best first."""
        return await self._call("GET", f"{room_path(room_id)}/standings", Standings)

    async def put(
        self,
        path: str,
        message: WireModel,
        reply: type[ReplyT],
        headers: Mapping[str, str] | None = None,
    ) -> ReplyT:
        body = message.model_dump(mode="json")
        return await self._call("PUT", path, reply, body=body, headers=headers)

    async def stream(self, room_id: str | None, last_id: str = "") -> AsyncGenerator[bytes, None]:
        """Yield until the connection ends, after `last_id`, else beginning with a snapshot."""
        path = "/v1/stream" if room_id is None else f"{room_path(room_id)}/stream"
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        if last_id:
            headers["last-event-id"] = last_id
        try:
            async with self.http.stream(
                "GET", path, headers=headers, timeout=_SILENCE_S
            ) as response:
                if not response.is_success:
                    await response.aread()
                self._take(response)
                if not response.headers.get("content-type", "").startswith("text/event-stream"):
                    raise self._foreign(STREAM, path)
                async for chunk in response.aiter_bytes():
                    yield chunk
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._unheard(error) from error

    async def close(self) -> None:
        await self.http.aclose()

    async def _call(
        self,
        method: str,
        path: str,
        reply: type[ReplyT],
        *,
        body: Any = None,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> ReplyT:
        params = {name: value for name, value in (query or {}).items() if value is not None}
        timeout = httpx.USE_CLIENT_DEFAULT if timeout_s is None else httpx.Timeout(timeout_s)
        try:
            response = await self.http.request(
                method, path, json=body, params=params, headers=headers, timeout=timeout
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._unheard(error) from error
        self._take(response)
        try:
            return reply.model_validate_json(response.content)
        except ValidationError as error:
            raise self._foreign(reply.__name__, path) from error

    def waits(self) -> list[dict[str, Any]]:
        """Return what is waited for, as JSON that everybody may read: the lobby, or nothing."""
        return [] if self._waits is None else self._waits.told(LOBBY)

    def _take(self, response: httpx.Response) -> None:
        """Note that the lobby answers, or fails; raises the refusal of a reply."""
        refusal = None if response.is_success else self._refusal(response)
        is_failure = response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
        if is_failure and isinstance(refusal, LobbyAway):
            self._note_away(refusal)
        elif self._waits is not None:
            self._waits.end(WaitReason.LOBBY_AWAY, LOBBY)
        if refusal is not None:
            raise refusal

    def _unheard(self, error: Exception) -> LobbyAway:
        away = self._away(error)
        self._note_away(away)
        return away

    def _note_away(self, away: LobbyAway) -> None:
        if self._waits is not None:
            self._waits.begin(WaitReason.LOBBY_AWAY, LOBBY, str(away))

    # What is said of a failure: a console has a person before it.

    def _away(self, error: Exception) -> LobbyAway:
        message = str(error) or type(error).__name__
        return LobbyAway(f"the lobby cannot be reached: {message:.200}")

    def _foreign(self, expected: str, path: str, /) -> CallFailed:
        return LobbyAway(f"{path}: the reply is no {expected}")

    def _refusal(self, response: httpx.Response) -> CallFailed:
        return refusal_of(response)


def refusal_of(response: httpx.Response) -> CallFailed:
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {}
    kind = str(problem.get("type", "")).rpartition("/")[2]
    reason = str(problem.get("reason") or kind.replace("-", "_").upper() or _UNKNOWN_REASON)
    detail = str(problem.get("detail") or problem.get("title") or f"HTTP {response.status_code}")
    detail = detail[:_DETAIL_LIMIT]
    status = response.status_code
    if status == HTTPStatus.NOT_FOUND and kind == "room-not-found":
        return UnknownRoom(detail)
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return LobbyAway(f"the lobby does not take this gateway's key: {detail}")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and kind in _LOBBY_AWAY:
        return LobbyAway(f"the lobby failed: {detail}")
    return CallRefused(reason, detail, status)


def room_path(room_id: str) -> str:
    """Return the path of a room, its id percent-encoded; raises UnknownRoom for what is no id."""
    return f"/v1/rooms/{segment(room_id)}"


def player_path(room_id: str, player_id: str) -> str:
    return f"{room_path(room_id)}/players/{segment(player_id)}"


def segment(text: str) -> str:
    """Return an id as a segment of a path; raises UnknownRoom for one that would change it."""
    try:
        return path_segment(text)
    except ValueError as error:
        raise UnknownRoom(str(error)) from error
