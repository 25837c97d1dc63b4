"""Client of the lobby's REST API and event streams."""

import ssl
from collections.abc import AsyncGenerator, Mapping
from types import MappingProxyType
from typing import Any, get_args

import httpx
from casino_agentkit import KitReason
from casino_contracts import (
    CreateRoomInput,
    EventPage,
    GameList,
    HandDetail,
    HandPage,
    HandRecord,
    HandSummary,
    LobbyInfo,
    OwnHandDetail,
    OwnHandPage,
    PlayerFaults,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    RoomSummary,
    Standings,
    StartOverrides,
    TableStatus,
    TableSummary,
)
from casino_contracts.names import path_segment

from casino.errors import CallFailed, LobbyAway
from casino.operator_key import CONSOLE_KEY, OperatorKey
from casino.refusal import refusal_of
from casino.sse import Decoder, ServerSentEvent

_TIMEOUT_S = 30.0
_STREAM_TIMEOUT_S = 45.0  # read timeout of a stream: three heartbeats of the lobby
_EVENTS_PER_PAGE = 1000
_PER_PAGE = 100
_NOBODY = "All connection attempts failed"
"""The text of httpx where no connection was made."""
_TABLE_STATUSES = frozenset(get_args(TableStatus))
_NOT_YOURS = (
    "the lobby shows a player's hands to the player and to the operator: set {} to the player's"
    " seat token, or to the key behind `key=` in the link of `casino join`"
)


class LobbyApi:
    """Client of the lobby at a URL, authenticated with its operator's key if there is one.

    `trusted` is the TLS context for an https URL; None means the system's authorities.
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
        # Not through the machine's proxies, and without redirects, which would get the key.
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
        """Return all rooms, or those with a status or a state; raises CallFailed."""
        rooms: list[RoomSummary] = []
        after: str | None = None
        while True:
            name = "status" if status in _TABLE_STATUSES else "state"
            query = {name: status, "after": after, "limit": _PER_PAGE}
            page = RoomList.model_validate_json(await self._send("GET", "/v1/rooms", query=query))
            rooms += page.rooms
            if page.next is None:
                return RoomList(rooms=tuple(rooms))
            after = page.next

    async def games(self) -> GameList:
        """Return the games that the lobby offers; raises CallFailed."""
        return GameList.model_validate_json(await self._send("GET", "/api/games"))

    async def info(self) -> LobbyInfo:
        """Return the lobby's properties and default rules; raises CallFailed."""
        return LobbyInfo.model_validate_json(await self._send("GET", "/v1/config"))

    async def create_room(self, room: CreateRoomInput) -> RoomSnapshot:
        """Open a room; raises CallFailed."""
        content = await self._send("POST", "/v1/rooms", room.model_dump(mode="json"))
        return RoomSnapshot.model_validate_json(content)

    async def register(self, player: RegisterPlayerInput) -> RegisteredPlayer:
        """Seat a player; raises CallFailed."""
        body = player.model_dump(mode="json")
        path = f"{room_path(body.pop('roomId'))}/players"
        return RegisteredPlayer.model_validate_json(await self._send("POST", path, body))

    async def leave(self, room_id: str, player_id: str) -> TableSummary:
        """Make a player leave, after the running hand; raises CallFailed."""
        path = f"{room_path(room_id)}/players/{segment(player_id)}"
        return TableSummary.model_validate_json(await self._send("DELETE", path))

    async def faults(
        self, room_id: str, player_id: str, key: OperatorKey | None = None
    ) -> PlayerFaults:
        """Return a player's faults; `key` is used without an operator key. Raises CallFailed."""
        path = f"{room_path(room_id)}/players/{segment(player_id)}/faults"
        used = self._key if key is None or self._key.value else key
        content = await self._send("GET", path, headers=used.headers())
        return PlayerFaults.model_validate_json(content)

    async def own_hands(
        self, room_id: str, player_id: str, order: str, limit: int, key: OperatorKey
    ) -> OwnHandPage:
        """Return hands of a player as it saw them; `key` comes first. Raises CallFailed."""
        query: dict[str, str | int | None] = {"order": order, "limit": limit}
        content = await self._own(room_id, player_id, "", query, key)
        return OwnHandPage.model_validate_json(content)

    async def own_hand(
        self, room_id: str, player_id: str, number: int, epoch: int | None, key: OperatorKey
    ) -> OwnHandDetail:
        """Return a hand of a player with its decisions; as `own_hands`. Raises CallFailed."""
        content = await self._own(room_id, player_id, f"/{number}", {"epoch": epoch}, key)
        return OwnHandDetail.model_validate_json(content)

    async def start(self, room_id: str, overrides: StartOverrides | None = None) -> TableSummary:
        """Start a session; raises CallFailed."""
        body = overrides.model_dump(mode="json") if overrides else {}
        content = await self._send("POST", f"{room_path(room_id)}/start", body)
        return TableSummary.model_validate_json(content)

    async def room(self, room_id: str) -> RoomSnapshot:
        """Return a room; raises CallFailed."""
        return RoomSnapshot.model_validate_json(await self._send("GET", room_path(room_id)))

    async def close_room(self, room_id: str) -> RoomSnapshot:
        """Close a room, after the running hand; raises CallFailed."""
        return RoomSnapshot.model_validate_json(await self._send("DELETE", room_path(room_id)))

    async def events(self, room_id: str, after: int, epoch: int) -> EventPage:
        """Return a page of an epoch's events after a sequence; raises CallFailed."""
        query = {"after": after, "limit": _EVENTS_PER_PAGE, "epoch": epoch}
        content = await self._send("GET", f"{room_path(room_id)}/events", query=query)
        return EventPage.model_validate_json(content)

    async def hands(
        self,
        room_id: str,
        order: str,
        limit: int,
        *,
        player_id: str | None = None,
        kind: str | None = None,
    ) -> HandPage:
        """Return completed hands; raises CallFailed.

        The `newest` or `oldest` first, or those with the highest `score` or `pot`.
        """
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

    async def hand_page(self, room_id: str, query: Mapping[str, str | int | None]) -> HandPage:
        """Return a page of completed hands; raises CallFailed."""
        content = await self._send("GET", f"{room_path(room_id)}/hands", query=query)
        return HandPage.model_validate_json(content)

    async def standings(self, room_id: str) -> Standings:
        """Return the results of a room's players, the best first; raises CallFailed."""
        content = await self._send("GET", f"{room_path(room_id)}/standings")
        return Standings.model_validate_json(content)

    async def hand(self, room_id: str, number: int, epoch: int | None = None) -> HandDetail:
        """Return one completed hand, of the newest epoch by default; raises CallFailed."""
        path = f"{room_path(room_id)}/hands/{number}"
        return HandDetail.model_validate_json(await self._send("GET", path, query={"epoch": epoch}))

    async def hand_record(
        self, room_id: str, number: int, epoch: int | None = None, *, questions: bool = True
    ) -> HandRecord:
        """Return the operator's record of a hand; raises CallFailed."""
        path = f"{room_path(room_id)}/hands/{number}/record"
        query = {"epoch": epoch, "include": "questions" if questions else None}
        return HandRecord.model_validate_json(await self._send("GET", path, query=query))

    async def stream(
        self, room_id: str | None, decoder: Decoder
    ) -> AsyncGenerator[ServerSentEvent, None]:
        """Yield the events of a room, or of all rooms, until the connection ends.

        Resumes after the decoder's last id. Raises CallFailed, or LobbyAway if the connection is
        lost.
        """
        path = "/v1/stream" if room_id is None else f"{room_path(room_id)}/stream"
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        if decoder.last_id:
            headers["last-event-id"] = decoder.last_id
        timeout = httpx.Timeout(_TIMEOUT_S, read=_STREAM_TIMEOUT_S)
        try:
            async with self._http.stream("GET", path, headers=headers, timeout=timeout) as reply:
                if not reply.is_success:
                    await reply.aread()
                    raise self._refusal(reply)
                if not reply.headers.get("content-type", "").startswith("text/event-stream"):
                    raise CallFailed(f"{self._url} has no stream of events; is it a lobby?")
                async for chunk in reply.aiter_bytes():
                    for event in decoder.feed(chunk):
                        yield event
        except httpx.HTTPError as error:
            raise self._away(error) from error

    async def close(self) -> None:
        """Close the HTTP connections."""
        await self._http.aclose()

    async def put(self, path: str, body: Any, headers: Mapping[str, str]) -> bytes:
        """Publish a message as JSON values, and return the reply; raises CallFailed."""
        return await self._send("PUT", path, body, headers=headers)

    async def _own(
        self,
        room_id: str,
        player_id: str,
        rest: str,
        query: Mapping[str, str | int | None],
        key: OperatorKey,
    ) -> bytes:
        path = f"{room_path(room_id)}/players/{segment(player_id)}/hands{rest}"
        headers = (key if key.value else self._key).headers()
        try:
            return await self._send("GET", path, query=query, headers=headers)
        except CallFailed as error:
            if error.reason != KitReason.UNAUTHORIZED:
                raise
            raise CallFailed(_NOT_YOURS.format(key.setting), error.reason) from error

    async def _send(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, str | int | None] | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> bytes:
        params = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            reply = await self._http.request(
                method, path, json=body, params=params, headers=headers
            )
        except httpx.HTTPError as error:
            raise self._away(error) from error
        if not reply.is_success:
            raise self._refusal(reply)
        if "json" not in reply.headers.get("content-type", ""):
            raise CallFailed(f"{self._url} answers, but not as a lobby does")
        return reply.content

    def _refusal(self, reply: httpx.Response) -> CallFailed:
        if reply.status_code == httpx.codes.UNAUTHORIZED:
            return CallFailed(self._key.refusal_message(), KitReason.UNAUTHORIZED)
        return refusal_of(reply)

    def _away(self, error: httpx.HTTPError) -> LobbyAway:
        cause = str(error) or type(error).__name__
        if cause == _NOBODY:
            cause = (
                "nobody listens there; `casino up` starts a casino, --lobby or --publish names"
                " another one"
            )
        return LobbyAway(f"the lobby at {self._url} does not answer: {cause}")


def room_path(room_id: str) -> str:
    """Return the path of a room, its id percent-encoded; raises CallFailed for what is no id."""
    return f"/v1/rooms/{segment(room_id)}"


def segment(text: str) -> str:
    """Return an id as a segment of a path; raises CallFailed for one that would change the path."""
    try:
        return path_segment(text)
    except ValueError as error:
        raise CallFailed(str(error)) from error
