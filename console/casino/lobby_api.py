"""The console's client of a lobby: its key, and what a person is told of a failure."""

import ssl
from collections.abc import Mapping
from datetime import timedelta

import httpx
from casino_agentkit import KitReason
from casino_contracts import OwnHandDetail, OwnHandPage, PlayerFaults, Reason
from casino_lobby_client.errors import CallFailed, LobbyAway
from casino_lobby_client.lobby_client import (
    OVER,
    STREAM,
    LobbyClient,
    Query,
    ReplyT,
    http_client,
    player_path,
)

from casino.operator_key import CONSOLE_KEY, OperatorKey
from casino.output import sanitize

ENDING = OVER | {"closing"}  # states of a room in which no hand begins any more
_NOT_NOW = {Reason.ALREADY_RUNNING, Reason.NOT_ENOUGH_PLAYERS}
_TIMEOUT = timedelta(seconds=30)
_NOBODY = "All connection attempts failed"
"""The text of httpx where no connection was made."""
_NOT_YOURS = (
    "the lobby shows a player's hands to the player and to the operator: set {} to the player's"
    " seat token, or to the key behind `key=` in the link of `casino join`"
)


class LobbyApi(LobbyClient):
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
        super().__init__(
            http_client(url, self._key.value, _TIMEOUT, tls=trusted, transport=transport)
        )

    async def start_if_possible(self, room_id: str) -> None:
        """Start a session unless one runs or players are missing; raises CallFailed."""
        try:
            await self.start(room_id)
        except CallFailed as error:
            if error.reason not in _NOT_NOW:
                raise

    async def faults(
        self, room_id: str, player_id: str, key: OperatorKey | None = None
    ) -> PlayerFaults:
        """Return a player's faults; `key` is used without an operator key. Raises CallFailed."""
        used = self._key if key is None or self._key.value else key
        path = f"{player_path(room_id, player_id)}/faults"
        return await self._call("GET", path, PlayerFaults, headers=used.headers())

    async def own_hands(
        self, room_id: str, player_id: str, order: str, limit: int, key: OperatorKey
    ) -> OwnHandPage:
        """Return hands of a player as it saw them; `key` comes first. Raises CallFailed."""
        path = f"{player_path(room_id, player_id)}/hands"
        return await self._own(path, OwnHandPage, {"order": order, "limit": limit}, key)

    async def own_hand(
        self, room_id: str, player_id: str, number: int, epoch: int | None, key: OperatorKey
    ) -> OwnHandDetail:
        """Return a hand of a player with its decisions; as `own_hands`. Raises CallFailed."""
        path = f"{player_path(room_id, player_id)}/hands/{number}"
        return await self._own(path, OwnHandDetail, {"epoch": epoch}, key)

    async def _own(self, path: str, reply: type[ReplyT], query: Query, key: OperatorKey) -> ReplyT:
        headers = (key if key.value else self._key).headers()
        try:
            return await self._call("GET", path, reply, query=query, headers=headers)
        except CallFailed as error:
            if error.reason != KitReason.UNAUTHORIZED:
                raise
            raise CallFailed(_NOT_YOURS.format(key.setting), error.reason) from error

    def _away(self, error: Exception) -> LobbyAway:
        cause = str(error) or type(error).__name__
        if cause == _NOBODY:
            cause = (
                "nobody listens there; `casino up` starts a casino, --lobby or --publish names"
                " another one"
            )
        return LobbyAway(f"the lobby at {self._url} does not answer: {cause}")

    def _foreign(self, expected: str, _path: str, /) -> CallFailed:
        if expected == STREAM:
            return CallFailed(f"{self._url} has no stream of events; is it a lobby?")
        return CallFailed(f"{self._url} answers, but not as a lobby does")

    def _refusal(self, response: httpx.Response) -> CallFailed:
        """Return the error of a problem: its sentence, and the fields that it leaves out."""
        if response.status_code == httpx.codes.UNAUTHORIZED:
            return CallFailed(self._key.refusal_message(), KitReason.UNAUTHORIZED)
        try:
            problem = response.json()
            reason = str(problem.get("reason", ""))
            detail = str(problem.get("detail") or problem["title"])
            faults = [one for one in problem.get("errors", ()) if _field(one) not in detail]
            message = sanitize(detail + "".join(f" ({_fault(one)})" for one in faults))
        except (ValueError, KeyError, TypeError, AttributeError):
            status = f"{response.status_code} {response.reason_phrase}"
            message, reason = f"HTTP status {status}".strip(), ""
        is_temporary = (
            response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error
        )
        return (LobbyAway if is_temporary else CallFailed)(message, reason)


def _fault(error: Mapping[str, str]) -> str:
    field = _field(error)
    return f"{field}: {error['detail']}" if field else error["detail"]


def _field(error: Mapping[str, str]) -> str:
    return error.get("pointer", "").removeprefix("#/").replace("/", ".")
