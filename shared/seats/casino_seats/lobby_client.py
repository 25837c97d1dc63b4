"""REST client of the lobby: rooms, players, events."""

from collections.abc import Mapping
from datetime import timedelta
from http import HTTPStatus
from typing import Any, TypeVar

import httpx
from casino_contracts import (
    EventPage,
    GameList,
    ListedGame,
    RegisteredPlayer,
    RoomList,
    RoomSnapshot,
    RoomSummary,
    TableEvent,
    WireModel,
)
from casino_contracts.names import path_segment
from pydantic import ValidationError

from casino_seats.errors import LobbyUnavailable, SeatRefused, UnknownRoom

Json = dict[str, Any]
ReplyT = TypeVar("ReplyT", bound=WireModel)

_UNKNOWN_REASON = "REFUSED"
OVER = {"closed", "failed"}
"""States of a room in which nothing is played any more."""
_LOBBY_AWAY = {"", "about:blank", "internal", "standby"}
"""Problems that say nothing of the request: the same one may succeed a little later."""
_PAGE = 1_000
_DETAIL_LIMIT = 500
_WITH_TABLE_S = 35.0
"""Timeout of commands for which the lobby may start a process of a table, in at most 20 s, and
call it, in at most 10 s."""


class LobbyClient:
    """The lobby's REST API; `http` has its address, and the operator's key where one is needed.

    Every method raises LobbyUnavailable; those of a room UnknownRoom.
    """

    def __init__(self, http: httpx.AsyncClient, *, seating: timedelta) -> None:
        self.http = http
        self._seating_s = seating.total_seconds()
        """How long the lobby may take to seat a player: it calls the seat's agent meanwhile."""

    async def rooms(self) -> list[RoomSummary]:
        """Return the rooms that are open, oldest first."""
        rooms: list[RoomSummary] = []
        after: str | None = None
        while True:
            listed = await self._call(
                "GET", "/v1/rooms", RoomList, params={"after": after} if after else {}
            )
            rooms += [room for room in listed.rooms if room.state not in OVER]
            if listed.next is None or listed.next == after:
                return rooms
            after = listed.next

    async def room(self, room_id: str) -> RoomSnapshot:
        """Return a room in full."""
        return await self._call("GET", room_path(room_id), RoomSnapshot)

    async def create_room(self, order: Json) -> RoomSummary:
        """Open a room; raises SeatRefused with the lobby's problem."""
        room = await self._call(
            "POST", "/v1/rooms", RoomSnapshot, json=order, timeout_s=_WITH_TABLE_S
        )
        summary = room.summary
        return RoomSummary(
            room_id=room.room_id,
            table_id=room.table_id or room.room_id,
            game_type=room.game_type or "",
            table_agent_card_url=room.table_agent_card_url,
            status=summary.status if summary else "waiting",
            hand_count=summary.hand_count if summary else 0,
            player_count=len(summary.players) if summary else 0,
            state=room.state,
        )

    async def start_room(self, room_id: str) -> None:
        """Start a session; raises SeatRefused."""
        await self._send("POST", f"{room_path(room_id)}/start", json={}, timeout_s=_WITH_TABLE_S)

    async def close_room(self, room_id: str) -> RoomSnapshot:
        """Close a room after its running hand; one that is being opened is not closed by it.

        Raises SeatRefused.
        """
        return await self._call("DELETE", room_path(room_id), RoomSnapshot)

    async def register(
        self, room_id: str, card_url: str, *, key: str, preferred_seat: int | None = None
    ) -> RegisteredPlayer:
        """Seat the agent of a card; with the same `key` again the same seat. Raises SeatRefused."""
        order: Json = {"agentCardUrl": card_url}
        if preferred_seat is not None:
            order["preferredSeat"] = preferred_seat
        return await self._call(
            "POST",
            f"{room_path(room_id)}/players",
            RegisteredPlayer,
            json=order,
            headers={"idempotency-key": key},
            timeout_s=self._seating_s,
        )

    async def leave(self, room_id: str, player_id: str) -> None:
        """Give a player's seat back; raises SeatRefused."""
        path = f"{room_path(room_id)}/players/{_segment(player_id)}"
        await self._send("DELETE", path, timeout_s=self._seating_s)

    async def events(self, room_id: str, after: int, until: int) -> list[TableEvent]:
        """Return a room's events of the current epoch after a sequence, up to another one."""
        events: list[TableEvent] = []
        while after < until:
            page = await self._call(
                "GET",
                f"{room_path(room_id)}/events",
                EventPage,
                params={"after": after, "limit": min(_PAGE, until - after)},
            )
            events += [event for event in page.events if (event.sequence or 0) <= until]
            if page.last_sequence <= after:
                break
            after = page.last_sequence
        return events

    async def games(self) -> list[ListedGame]:
        """Return the games that can be played."""
        return list((await self._call("GET", "/api/games", GameList)).games)

    async def _call(self, method: str, path: str, reply: type[ReplyT], **request: Any) -> ReplyT:
        response = await self._send(method, path, **request)
        try:
            return reply.model_validate_json(response.content)
        except ValidationError as error:
            raise LobbyUnavailable(f"{method} {path}: the reply is no {reply.__name__}") from error

    async def _send(
        self,
        method: str,
        path: str,
        *,
        timeout_s: float | None = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, Any] | None = None,
        json: Json | None = None,
    ) -> httpx.Response:
        timeout = httpx.USE_CLIENT_DEFAULT if timeout_s is None else httpx.Timeout(timeout_s)
        try:
            response = await self.http.request(
                method, path, headers=headers, params=params, json=json, timeout=timeout
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            message = str(error) or type(error).__name__
            raise LobbyUnavailable(f"the lobby cannot be reached: {message:.200}") from error
        if response.is_success:
            return response
        raise refusal_of(response)


def refusal_of(response: httpx.Response) -> UnknownRoom | SeatRefused | LobbyUnavailable:
    """Return the exception of a problem that the lobby answered."""
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
        return LobbyUnavailable(f"the lobby does not take this gateway's key: {detail}")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and kind in _LOBBY_AWAY:
        return LobbyUnavailable(f"the lobby failed: {detail}")
    return SeatRefused(reason, detail, status)


def room_path(room_id: str) -> str:
    """Return the path of a room at its lobby; raises UnknownRoom for what is no id."""
    return f"/v1/rooms/{_segment(room_id)}"


def _segment(text: str) -> str:
    try:
        return path_segment(text)
    except ValueError as error:
        raise UnknownRoom(str(error)) from error
