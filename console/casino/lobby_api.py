"""The lobby's REST as the console uses it: one method per operation, errors in plain words."""

from typing import Any

import httpx
from casino_contracts import (
    CreateRoomInput,
    EventPage,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomSnapshot,
)

_TIMEOUT_S = 30.0
_EVENTS_PER_PAGE = 1000


class LobbyError(Exception):
    """The lobby said no, or cannot be reached; the message is for a person.

    `reason` is the problem's stable word, "" when there is none.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class LobbyApi:
    """A lobby at a URL."""

    def __init__(self, url: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        # A lobby is found directly: what proxies a machine has are for other places.
        self._http = httpx.AsyncClient(
            base_url=url, timeout=_TIMEOUT_S, transport=transport, trust_env=False
        )

    async def create_room(self, room: CreateRoomInput) -> RoomSnapshot:
        """Open a room; raises LobbyError."""
        content = await self._send("POST", "/v1/rooms", room.model_dump(mode="json"))
        return RoomSnapshot.model_validate_json(content)

    async def register(self, player: RegisterPlayerInput) -> RegisteredPlayer:
        """Seat a player; raises LobbyError."""
        body = player.model_dump(mode="json")
        path = f"/v1/rooms/{body.pop('roomId')}/players"
        return RegisteredPlayer.model_validate_json(await self._send("POST", path, body))

    async def start(self, room_id: str) -> None:
        """Begin a session; raises LobbyError."""
        await self._send("POST", f"/v1/rooms/{room_id}/start", {})

    async def room(self, room_id: str) -> RoomSnapshot:
        """Return a room; raises LobbyError."""
        return RoomSnapshot.model_validate_json(await self._send("GET", f"/v1/rooms/{room_id}"))

    async def events(self, room_id: str, after: int, epoch: int) -> EventPage:
        """Return the next events of an epoch after a sequence; raises LobbyError."""
        query = f"after={after}&limit={_EVENTS_PER_PAGE}&epoch={epoch}"
        path = f"/v1/rooms/{room_id}/events?{query}"
        return EventPage.model_validate_json(await self._send("GET", path))

    async def close(self) -> None:
        """Let go of the connection."""
        await self._http.aclose()

    async def _send(self, method: str, path: str, body: Any = None) -> bytes:
        try:
            reply = await self._http.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise LobbyError(f"the lobby does not answer: {error}") from error
        if reply.is_success:
            return reply.content
        try:
            problem = reply.json()
            told, reason = f"{problem['title']}: {problem['detail']}", problem.get("reason", "")
        except (ValueError, KeyError, TypeError):
            told, reason = f"HTTP status {reply.status_code}", ""
        raise LobbyError(told, reason)
