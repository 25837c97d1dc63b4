"""ASGI front of a process: answers plain typed calls itself, forwards all other requests.

The SDK's own path takes milliseconds per call; this one about a twentieth of a millisecond. It
answers only requests that it recognises completely. For every request it applies the body limit,
determines the caller and echoes the extension.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from casino_agentkit.agent import Agent
from casino_agentkit.authority import Caller, called_by
from casino_agentkit.call_metrics import CallMetrics
from casino_agentkit.protocol import EXTENSION, EXTENSIONS_HEADER, JSON
from casino_agentkit.server.calls.head_cache import CALL_VERSION, AgentAddresses, CallHead, head_of
from casino_agentkit.server.calls.plain_calls import PlainCalls, recognise
from casino_agentkit.server.request_guard import BodyLimits, BodyRefusal, TooLarge, refusal_of
from casino_agentkit.server.served_agents import HostedAgents

_ECHO = (EXTENSIONS_HEADER.lower().encode(), EXTENSION.encode())
_JSON_TYPE = (b"content-type", JSON.encode())


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
