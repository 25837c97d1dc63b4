"""ASGI front of a process: answers plain typed calls itself, forwards all other requests.

The SDK's own path takes milliseconds per call; this one about a twentieth of a millisecond. It
answers only requests that it recognises completely. For every request it applies the body limit,
determines the caller and echoes the extension.
"""

from collections.abc import Mapping

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from casino_agentkit.agent import Agent
from casino_agentkit.authority import FORWARDED, Caller, bearer, called_by
from casino_agentkit.metrics import CallMetrics
from casino_agentkit.protocol import (
    BODY_LIMIT,
    CAPABILITY_PATH,
    EXTENSION,
    EXTENSIONS_HEADER,
    JSON,
    VERSION,
)
from casino_agentkit.protocol import VERSION_HEADER as _VERSION_HEADER
from casino_agentkit.server.calls.addresses import AgentAddresses
from casino_agentkit.server.calls.plain_calls import PlainCalls
from casino_agentkit.server.calls.recognition import recognise
from casino_agentkit.server.hosted_agents import HostedAgents

_VERSION = VERSION.encode()
_VERSION_NAME = _VERSION_HEADER.lower().encode()
_EXTENSION = EXTENSION.encode()
_EXTENSIONS_NAME = EXTENSIONS_HEADER.lower().encode()
_ECHO = (_EXTENSIONS_NAME, _EXTENSION)
_JSON_TYPE = (b"content-type", JSON.encode())


class _TooLarge(Exception):
    """The body is larger than the limit."""


class FastPath:
    """ASGI application in front of `app`; `agents` are keyed by the path of their RPC endpoint."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        app: ASGIApp,
        calls: CallMetrics,
        *,
        body_limit: int = BODY_LIMIT,
        hosted: HostedAgents | None = None,
    ) -> None:
        self.addresses = AgentAddresses(agents, hosted)
        self.calls = PlainCalls(calls)
        self._app = app
        self._body_limit = body_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or forward it to the application."""
        if scope["type"] != "http":
            with called_by(_caller_of(scope)):
                await self._app(scope, receive, send)
            return
        version = declared_length = None
        activated = False
        token = ""
        for name, value in scope["headers"]:
            if name == b"content-length":
                declared_length = value
            elif name == _VERSION_NAME:
                version = value if version is None else b""  # of two, the SDK decides
            elif name == b"authorization":
                token = bearer(value.decode("latin-1"))
            elif name == _EXTENSIONS_NAME:  # a comma-separated list; the header may be repeated
                activated = activated or _EXTENSION in (uri.strip() for uri in value.split(b","))
        try:
            body = await self._body(receive, declared_length)
        except _TooLarge:
            await self._refuse_body(send)
            return
        if body is None:  # the client disconnected
            return
        capability = ""
        if scope["path"].startswith(CAPABILITY_PATH):
            scope, capability = self._opened(scope)
        client = scope.get("client")
        address = client[0] if client else ""
        is_forwarded = not FORWARDED.isdisjoint(name for name, _ in scope["headers"])
        with called_by(Caller(token or capability, address, capability, is_forwarded)):
            await self._handle(scope, receive, send, body, version, activated=activated)

    async def _handle(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        body: bytes,
        version: bytes | None,
        *,
        activated: bool,
    ) -> None:
        # Exactly "1.0": the SDK handles other spellings of 1.x, and refuses the rest.
        if (
            version == _VERSION
            and scope["method"] == "POST"
            and (agent := self.addresses.agent_at(scope["path"])) is not None
            and (call := recognise(body, agent)) is not None
        ):
            await self._reply(send, await self.calls.reply(call), activated=activated)
            return
        await self._app(scope, _replay(body, receive), _echo(send) if activated else send)

    def _opened(self, scope: Scope) -> tuple[Scope, str]:
        """Return the request without the prefix of a capability address, and the token in it."""
        path, prefix, token = self.addresses.opened(scope["path"])
        if not prefix:
            return scope, ""
        opened = {**scope, "path": path, "casino.capability": prefix}
        if raw := scope.get("raw_path"):
            opened["raw_path"] = raw[len(prefix.encode()) :]
        return opened, token

    async def _body(self, receive: Receive, declared_length: bytes | None) -> bytes | None:
        """Return the body, None if the client disconnected before its end.

        The declared length is checked before reading, the actual length while reading.
        """
        if (
            declared_length
            and declared_length.isdigit()
            and int(declared_length) > self._body_limit
        ):
            raise _TooLarge
        message = await receive()
        if message["type"] != "http.request":
            return None
        body: bytes = message.get("body", b"")
        if message.get("more_body"):
            gathered = bytearray(body)  # bytes would be copied with every chunk
            while message.get("more_body") and len(gathered) <= self._body_limit:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                gathered += message.get("body", b"")
            body = bytes(gathered)
        if len(body) > self._body_limit:
            raise _TooLarge
        return body

    async def _reply(self, send: Send, body: bytes, *, activated: bool) -> None:
        length = (b"content-length", b"%d" % len(body))
        headers = [_JSON_TYPE, length, _ECHO] if activated else [_JSON_TYPE, length]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _refuse_body(self, send: Send) -> None:
        """Respond 413 and close the connection, because the rest of the body is unread."""
        problem = {
            "type": "about:blank",
            "title": "Content Too Large",
            "status": 413,
            "detail": f"A request may have at most {self._body_limit} bytes.",
        }
        headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": orjson.dumps(problem)})


def _caller_of(scope: Scope) -> Caller:
    """Return who opens a WebSocket; nobody starts and stops the application."""
    headers = dict(scope.get("headers", ()))
    token = bearer(headers.get(b"authorization", b"").decode("latin-1"))
    client = scope.get("client")
    is_forwarded = not FORWARDED.isdisjoint(headers)
    return Caller(token, client[0] if client else "", "", is_forwarded)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that replays the body, then continues (for the disconnect)."""
    pending = True

    async def again() -> Message:
        nonlocal pending
        if pending:
            pending = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


def _echo(send: Send) -> Send:
    """Add the activated extension to the response's headers; the SDK does not."""

    async def named(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), _ECHO]}
        await send(message)

    return named
