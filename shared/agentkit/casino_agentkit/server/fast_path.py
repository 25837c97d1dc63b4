"""ASGI front of a process: answers plain typed calls itself, forwards all other requests.

`plain_call_server.py` answers those first that arrive whole; `call_execution.py` runs the calls.

The SDK's own path takes milliseconds per call; this one about a twentieth of a millisecond. It
answers only requests that it recognises completely. For every request it applies the body limit,
determines the caller and echoes the extension.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from casino_agentkit.agent import Agent
from casino_agentkit.authority import FORWARDED, Caller, bearer, called_by
from casino_agentkit.protocol import (
    CAPABILITY_PATH,
    EXTENSION,
    EXTENSIONS_HEADER,
    JSON,
    RPC_PATH,
    TRACE_HEADER,
    VERSION,
    VERSION_HEADER,
)
from casino_agentkit.server.call_execution import CallMetrics, PlainCalls, recognise
from casino_agentkit.server.request_guard import BodyLimits, BodyRefusal, TooLarge, refusal_of
from casino_agentkit.server.served_agents import ADDRESSES, HostedAgents

Header = tuple[bytes, bytes]

_VERSION_NAME: Final = VERSION_HEADER.lower().encode()
CALL_VERSION: Final = VERSION.encode()
"""The version of a plain call: the SDK handles other spellings of 1.x, and refuses the rest."""
_EXTENSIONS: Final = EXTENSIONS_HEADER.lower().encode()
_EXTENSION: Final = EXTENSION.encode()
_AUTHORIZATION: Final = b"authorization"
_TRACE: Final = TRACE_HEADER.encode()
_ECHO = (_EXTENSIONS, _EXTENSION)
_JSON_TYPE = (b"content-type", JSON.encode())


class OpenedPath(NamedTuple):
    """A path without the prefix of a capability address; prefix and token are "" without one."""

    path: str
    prefix: str = ""
    token: str = ""


class AgentAddresses:
    """The paths of `agents`, which are keyed by the path of their RPC endpoint, and of `hosted`."""

    def __init__(self, agents: Mapping[str, Agent], hosted: HostedAgents | None = None) -> None:
        self._agents = {
            spelling: agent
            for path, agent in agents.items()
            if not agent.required_extensions  # the SDK's handler checks them
            for spelling in (path, path + "/")
        }
        self._addresses = tuple(
            path.removesuffix(RPC_PATH) + address for path in agents for address in ADDRESSES
        )
        self._hosted = hosted

    def agent_at(self, path: str) -> Agent | None:
        """Return the agent that may answer calls at a path without the SDK, None without one."""
        agent = self._agents.get(path)
        if agent is None and self._hosted is not None:
            return self._hosted.called_at(path)
        return agent

    def opened(self, path: str) -> OpenedPath:
        """Return a path without the prefix of a capability address, if it is one, and its token."""
        if not path.startswith(CAPABILITY_PATH):
            return OpenedPath(path)
        token, slash, rest = path.removeprefix(CAPABILITY_PATH).partition("/")
        inner = slash + rest
        is_address = inner.startswith(self._addresses) or (
            self._hosted is not None and self._hosted.is_address(inner)
        )
        if not token or not is_address:
            return OpenedPath(path)
        return OpenedPath(inner, CAPABILITY_PATH + token, bearer(f"Bearer {token}"))


class CallHead(NamedTuple):
    """What the head of a request says of a typed call."""

    path: str  # the path without the prefix of a capability address
    prefix: str  # that prefix, "" without one
    version: bytes | None  # the version of A2A; of two, the SDK decides
    token: str  # the bearer token of the header, "" without one
    capability: str  # the token of the capability address, "" without one
    activated: bool  # whether the typed-entrypoint extension is activated, and named in the reply
    is_forwarded: bool  # whether a proxy passed the request on
    traceparent: str  # the header of this name, "" without exactly one

    def sender(self, address: str) -> Caller:
        token = self.token or self.capability
        return Caller(token, address, self.capability, self.is_forwarded, self.traceparent)


def head_of(path: str, headers: Iterable[Header], addresses: AgentAddresses) -> CallHead:
    """Return what a path and headers say, whose names are in lower case."""
    version = traceparent = None
    activated = is_forwarded = False
    token = ""
    for name, value in headers:
        if name == _VERSION_NAME:
            version = value if version is None else b""
        elif name == _AUTHORIZATION:
            token = bearer(value.decode("latin-1"))
        elif name == _EXTENSIONS:  # a comma-separated list; the header may be repeated
            activated = activated or _EXTENSION in (uri.strip() for uri in value.split(b","))
        elif name in FORWARDED:
            is_forwarded = True
        elif name == _TRACE:
            traceparent = value if traceparent is None else b""
    opened = addresses.opened(path)
    said = (traceparent or b"").decode("latin-1")
    return CallHead(
        opened.path, opened.prefix, version, token, opened.token, activated, is_forwarded, said
    )


class FastPath:
    """ASGI application in front of `app`; `agents` are keyed by the path of their RPC endpoint."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        app: ASGIApp,
        calls: CallMetrics,
        body_limits: BodyLimits,
        *,
        body_refusal: BodyRefusal = lambda _path, _reason: None,
        hosted: HostedAgents | None = None,
    ) -> None:
        self.addresses = AgentAddresses(agents, hosted)
        self.calls = PlainCalls(calls)
        self._app = app
        self._body_limits = body_limits
        self._body_refusal = body_refusal
        self._turns = _Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # A WebSocket; nobody starts and stops the application.
            head = head_of("", scope.get("headers", ()), self.addresses)
            with called_by(head.sender(_address_of(scope))):
                await self._app(scope, receive, send)
            return
        await self._turns.next()
        head = head_of(scope["path"], scope["headers"], self.addresses)
        if head.prefix:
            scope = _opened(scope, head)
        sender = head.sender(_address_of(scope))
        try:
            body = await self._body(receive, scope, sender)
        except TooLarge as error:
            await self._refuse_body(send, scope["path"], error)
            return
        if body is None:  # the client disconnected
            return
        bodies = [body]
        del body  # so that it does not wait for the client to read the answer
        with called_by(sender):
            await self._handle(scope, receive, send, bodies, head)

    async def _handle(
        self, scope: Scope, receive: Receive, send: Send, bodies: list[bytes], head: CallHead
    ) -> None:
        if (
            head.version == CALL_VERSION
            and scope["method"] == "POST"
            and (agent := self.addresses.agent_at(head.path)) is not None
            and (call := recognise(bodies[0], agent)) is not None
        ):
            bodies.clear()
            reply = await self.calls.reply(call)
            del call
            await self._reply(send, reply, activated=head.activated)
            return
        await self._app(scope, _replay(bodies, receive), _echo(send) if head.activated else send)

    async def _body(self, receive: Receive, scope: Scope, sender: Caller) -> bytes | None:
        """Check its length before and while reading; None if the client disconnected."""
        check, path = self._body_limits.check, scope["path"]
        declared_length = dict(scope["headers"]).get(b"content-length")
        if declared_length and declared_length.isdigit():
            check(int(declared_length), path, sender)
        message = await receive()
        if message["type"] != "http.request":
            return None
        body: bytes = message.get("body", b"")
        if message.get("more_body"):
            gathered = bytearray(body)  # bytes would be copied with every chunk
            while message.get("more_body"):
                message = await receive()
                if message["type"] != "http.request":
                    return None
                gathered += message.get("body", b"")
                check(len(gathered), path, sender)
            return bytes(gathered)
        check(len(body), path, sender)
        return body

    async def _reply(self, send: Send, body: bytes, *, activated: bool) -> None:
        length = (b"content-length", b"%d" % len(body))
        headers = [_JSON_TYPE, length, _ECHO] if activated else [_JSON_TYPE, length]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _refuse_body(self, send: Send, path: str, refused: TooLarge) -> None:
        """Respond with the refusal and close: the rest of the body is unread."""
        media_type, body = refusal_of(path, refused, self._body_refusal)
        headers = [(b"content-type", media_type.encode()), (b"connection", b"close")]
        if refused.status == HTTPStatus.UNAUTHORIZED:
            headers.append((b"www-authenticate", b"Bearer"))
        start = {"type": "http.response.start", "status": int(refused.status), "headers": headers}
        await send(start)
        await send({"type": "http.response.body", "body": body})


class _Turns:
    """Begins one request in each turn of the loop: a plain call waits for at most one."""

    def __init__(self) -> None:
        self._waiting = deque[asyncio.Future[None]]()
        self._is_taken = False

    async def next(self) -> None:
        """Wait for a turn; without others it is this one."""
        loop = asyncio.get_running_loop()
        if self._is_taken:
            turn = loop.create_future()
            self._waiting.append(turn)
            await turn
        else:
            self._is_taken = True
            loop.call_soon(self._end, loop)

    def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # else its client disconnected
                turn.set_result(None)
                loop.call_soon(self._end, loop)
                return
        self._is_taken = False


def _address_of(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


def _opened(scope: Scope, head: CallHead) -> Scope:
    opened = {**scope, "path": head.path, "casino.capability": head.prefix}
    if raw := scope.get("raw_path"):
        opened["raw_path"] = raw[len(head.prefix.encode()) :]
    return opened


def _replay(bodies: list[bytes], receive: Receive) -> Receive:
    """Return a `receive` that hands the body over, then continues (for the disconnect)."""

    async def again() -> Message:
        if bodies:
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}
        return await receive()

    return again


def _echo(send: Send) -> Send:
    """Add the activated extension to the response's headers; the SDK does not."""

    async def named(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), _ECHO]}
        await send(message)

    return named
