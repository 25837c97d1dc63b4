"""Client of a gateway's Boardgame Protocol: one seat in one match."""

import ssl
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Annotated, Any, Literal, TypeVar

import httpx
from casino_lobby_client.errors import CallFailed, LobbyAway
from casino_lobby_client.lobby_client import http_client, segment
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from casino.output import sanitize

Json = dict[str, Any]


class MatchMessage(BaseModel):
    """Fields that are not read are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class JoinedMatch(MatchMessage):
    """Reply to a taken seat."""

    match_id: str
    agent_id: str
    token: str = Field(repr=False)
    game: str


class NamedAgent(MatchMessage):
    """Somebody at the table; `type` is missing in lists."""

    id: str
    name: str
    type: str = "ai"


class ListedMatch(MatchMessage):
    """A match in the list of `get_matches`."""

    match_id: str
    status: str
    agents: tuple[NamedAgent, ...]


class ListedMatches(MatchMessage):
    """Reply to `get_matches`."""

    matches: tuple[ListedMatch, ...]


class StateData(MatchMessage):
    """What the agent may know, in the words of the game."""

    public: Json = Field(default_factory=dict)
    private: Json = Field(default_factory=dict)
    available_actions: tuple[Json, ...] = ()
    deadline_ms: int | None = None
    hand_number: int | None = None
    result: Json | None = None


class VersionedState(MatchMessage):
    """The state of the game."""

    data: StateData


class MatchState(MatchMessage):
    """Reply to `get_state`."""

    status: Literal["waiting", "started", "ended", "abandoned"]
    phase: str
    turn: int
    stage: str
    active_agent_id: str | None
    agents: tuple[NamedAgent, ...]
    state: VersionedState

    @property
    def is_over(self) -> bool:
        return self.status in {"ended", "abandoned"}

    def names(self) -> dict[str, str]:
        return {agent.id: agent.name for agent in self.agents}


class ActionReply(MatchMessage):
    """What became of an action."""

    status: str
    message: str
    data: Json = Field(default_factory=dict)


class Performed(MatchMessage):
    """Reply to `perform_action`."""

    action_response: ActionReply


class PushData(MatchMessage):
    """What was pushed; `sequence` numbers the events of the table."""

    event: str = ""
    sequence: int | None = None
    payload: Json = Field(default_factory=dict)


class PushedText(MatchMessage):
    """A push, with its text for people."""

    message: str
    data: PushData


class Push(MatchMessage):
    """A message that the agent did not ask for."""

    type: Literal["push_message"]
    message_response: PushedText


class FaultText(MatchMessage):
    """Why a message was not taken."""

    message: str
    data: Json = Field(default_factory=dict)


class GatewayFault(MatchMessage):
    """A message of type `error`."""

    type: Literal["error"]
    error: FaultText


Pushed = Annotated[Push | GatewayFault, Field(discriminator="type")]
"""A line of the stream."""


ModelT = TypeVar("ModelT", bound=BaseModel)

VERSION = "1.0.0"
LISTING = {"dialect": "schemas-1.0.0"}
"""The list of matches is a request of the organisation's dialect."""
_TIMEOUT = timedelta(seconds=30)
_SILENCE_S = 45.0
"""Read timeout of the stream: three heartbeats of the gateway."""
_LINE_BYTES = 1024 * 1024

_pushed: TypeAdapter[Push | GatewayFault] = TypeAdapter(Pushed)


class GatewayApi:
    """Client of the gateway at a URL; `trusted` is the TLS context of an https URL."""

    def __init__(
        self,
        url: str,
        transport: httpx.AsyncBaseTransport | None = None,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._url = url
        self._seat: JoinedMatch | None = None
        self._http = http_client(url, None, _TIMEOUT, tls=trusted, transport=transport)

    @property
    def seat(self) -> JoinedMatch:
        if self._seat is None:
            raise CallFailed("no seat is taken yet")
        return self._seat

    async def matches(self) -> tuple[ListedMatch, ...]:
        """Return the matches with somebody at the table; raises CallFailed."""
        message = {"version": VERSION, "type": "get_matches", "agent_id": ""}
        content = await self._send("POST", "/bgp", message, LISTING)
        return self._read(ListedMatches, content).matches

    async def join(self, match_id: str, name: str, buy_in: float | None) -> JoinedMatch:
        """Take a seat as a person; raises CallFailed."""
        order: Json = {"match_id": match_id, "name": name, "type": "human"}
        if buy_in is not None:
            order["buy_in"] = buy_in
        self._seat = self._read(JoinedMatch, await self._send("POST", "/bgp/seats", order))
        self._http.headers["authorization"] = f"Bearer {self._seat.token}"
        return self._seat

    async def leave(self) -> None:
        """Give the seat back; raises CallFailed."""
        await self._send("DELETE", "/bgp/seats")

    async def state(self) -> MatchState:
        return self._read(MatchState, await self._send("POST", "/bgp", self._message("get_state")))

    async def perform(self, kind: str, data: Json) -> ActionReply:
        """Send an action, return what became of it; raises CallFailed."""
        action = {"version": VERSION, "type": kind, "data": data}
        message = {**self._message("perform_action"), "action": action}
        reply = self._read(Performed, await self._send("POST", "/bgp", message))
        return reply.action_response

    async def pushes(self, after: int | None) -> AsyncGenerator[Push | None, None]:
        """Yield pushes, None once connected; raises CallFailed, LobbyAway for a lost connection."""
        place = f"{segment(self.seat.match_id)}/{segment(self.seat.agent_id)}"
        params = {} if after is None else {"after": str(after)}
        timeout = httpx.Timeout(_TIMEOUT.total_seconds(), read=_SILENCE_S)
        try:
            async with self._http.stream(
                "GET", f"/bgp/stream/{place}", params=params, timeout=timeout
            ) as reply:
                if not reply.is_success:
                    await reply.aread()
                    raise self._refusal(reply)
                yield None
                async for line in _lines(reply):
                    yield self._push(line)
        except httpx.HTTPError as error:
            raise self._away(error) from error

    async def close(self) -> None:
        await self._http.aclose()

    def _message(self, kind: str) -> Json:
        return {
            "version": VERSION,
            "type": kind,
            "game": self.seat.game,
            "match_id": self.seat.match_id,
            "agent_id": self.seat.agent_id,
        }

    async def _send(
        self, method: str, path: str, message: Any = None, query: dict[str, str] | None = None
    ) -> bytes:
        try:
            reply = await self._http.request(method, path, json=message, params=query)
        except httpx.HTTPError as error:
            raise self._away(error) from error
        if not reply.is_success:
            raise self._refusal(reply)
        return reply.content

    def _read(self, model: type[ModelT], content: bytes) -> ModelT:
        try:
            return model.model_validate_json(content)
        except ValidationError as error:
            raise CallFailed(f"{self._url} answers, but not as a gateway does") from error

    def _push(self, line: bytes) -> Push:
        try:
            message = _pushed.validate_json(line)
        except ValidationError as error:
            raise CallFailed(f"{self._url} pushes, but not as a gateway does") from error
        if isinstance(message, GatewayFault):
            raise LobbyAway(sanitize(message.error.message))
        return message

    def _refusal(self, reply: httpx.Response) -> CallFailed:
        try:
            fault = GatewayFault.model_validate_json(reply.content)
        except ValidationError:
            status = f"{reply.status_code} {reply.reason_phrase}".strip()
            return CallFailed(f"the gateway at {self._url} answers with HTTP status {status}")
        code = fault.error.data.get("code")
        is_temporary = reply.status_code == httpx.codes.TOO_MANY_REQUESTS or reply.is_server_error
        kind = LobbyAway if is_temporary else CallFailed
        return kind(sanitize(fault.error.message), code if isinstance(code, str) else "")

    def _away(self, error: httpx.HTTPError) -> LobbyAway:
        cause = str(error) or type(error).__name__
        return LobbyAway(f"the gateway at {self._url} does not answer: {cause}")


async def _lines(reply: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield lines with content; raises CallFailed for an endless one."""
    rest = b""
    async for chunk in reply.aiter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > _LINE_BYTES:
            raise CallFailed("the gateway sends a line without an end")
        for line in lines:
            if line.strip():
                yield line
