"""The attacker's own HTTP servers: one records the requests it receives, one is a bot."""

import asyncio
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import orjson
from typing_extensions import override

from casino.attack.binding_calls import EXTENSION

_MAX_HEAD, _MAX_BODY = 64 * 1024, 1024 * 1024
_READ_TIMEOUT_S = 30.0


class ReceivedRequest(NamedTuple):
    """An HTTP request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Response(NamedTuple):
    """An HTTP response."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    location: str = ""


class CallbackListener(ABC):
    """Listens on a free port of `host`."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._server: asyncio.Server | None = None
        self._serving: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._is_stopped = False

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, self._host, 0, limit=_MAX_HEAD)

    @property
    def url(self) -> str:
        assert self._server is not None  # noqa: S101  it was started
        port = self._server.sockets[0].getsockname()[1]
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{port}"

    @property
    def card_url(self) -> str:
        return self.url + CARD_PATH

    @abstractmethod
    async def _answer(self, request: ReceivedRequest) -> Response: ...

    async def stop(self) -> None:
        """Stop listening, close all connections and wait until they are closed."""
        if self._server is None:
            return
        self._is_stopped = True
        self._server.close()
        for writer in self._serving.values():
            writer.transport.abort()
        if self._serving:
            await asyncio.wait(self._serving)
        await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a new connection in its own task, which `stop` awaits."""
        if self._is_stopped:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving[task] = writer
        task.add_done_callback(self._serving.pop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                response = await self._answer(request)
                if writer.is_closing():
                    break
                writer.write(_encoded(response))
                await writer.drain()
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()


async def _read(reader: asyncio.StreamReader) -> ReceivedRequest | None:
    async with asyncio.timeout(_READ_TIMEOUT_S):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _version = first.split(" ", 2)
        fields = (line.partition(":") for line in lines if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in fields}
        length = min(int(headers.get("content-length", "0")), _MAX_BODY)
        return ReceivedRequest(method, path, headers, await reader.readexactly(length))


def _encoded(response: Response) -> bytes:
    location = f"location: {response.location}\r\n" if response.location else ""
    head = (
        f"HTTP/1.1 {response.status} OK\r\ncontent-type: {response.content_type}\r\n"
        f"{location}content-length: {len(response.body)}\r\n\r\n"
    )
    return head.encode() + response.body


CARD_PATH = "/.well-known/agent-card.json"


class CallbackServer(CallbackListener):
    """Serves pages by path and an agent card at every card path; `visits` are all requests.

    `heard` is called with the header and the body of each request.
    """

    def __init__(
        self, host: str = "127.0.0.1", heard: Callable[[bytes], None] = lambda _bytes: None
    ) -> None:
        super().__init__(host)
        self.visits: list[ReceivedRequest] = []
        self.pages: dict[str, Response] = {}
        self.card: dict[str, Any] = {}
        self.word = f"canary-{secrets.token_hex(8)}"
        """A random word that occurs only on this server's pages."""
        self._heard = heard

    @override
    async def start(self) -> None:
        """Start listening; the card advertises skills of all roles."""
        await super().start()
        self.card = agent_card(self.url, "CallbackServer", ("signup", "act", "configureTable"))

    def visited(self, path: str = "") -> int:
        return sum(visit.path.startswith(path) for visit in self.visits)

    @staticmethod
    def page(content: bytes) -> Response:
        return Response(body=content, content_type="text/markdown")

    @override
    async def _answer(self, request: ReceivedRequest) -> Response:
        self.visits.append(request)
        self._heard(str(request.headers).encode())
        self._heard(request.body)
        if request.path in self.pages:
            return self.pages[request.path]
        if request.path.endswith(CARD_PATH):
            return Response(body=orjson.dumps(self.card))
        return Response(404, b'{"error":"not here"}')


def agent_card(
    base: str, name: str, skills: tuple[str, ...], params: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return an agent card with the base URL `base`; `params` are of the casino's extension."""
    return {
        "name": name,
        "description": "Bait.",
        "version": "1",
        "supportedInterfaces": [
            {"url": base + "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"extensions": [{"uri": EXTENSION, "params": params or {}}]},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [
            {"id": skill, "name": skill, "description": skill, "tags": [skill]} for skill in skills
        ],
    }


NAME = "Mallory"


class CallbackBot(CallbackListener):
    """An A2A agent that signs up, checks or folds, and records the questions of its table.

    `signup` is its answer to an invitation.
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        super().__init__(host)
        self.signup: dict[str, Any] = {"displayName": NAME}
        self.seat_token = ""
        self.player_id = ""
        self.questions: list[dict[str, Any]] = []
        """The questions of its table, which contain its own hole cards."""

    async def twin(self, signup: dict[str, Any]) -> "CallbackBot":
        """Start and return a second bot with another signup answer."""
        other = CallbackBot(self._host)
        other.signup = signup
        await other.start()
        return other

    @override
    async def _answer(self, request: ReceivedRequest) -> Response:
        if request.path == CARD_PATH:
            card = agent_card(self.url, NAME, ("signup", "act"))
            return Response(body=orjson.dumps(card))
        if request.path != "/rpc":
            return Response(404, b"{}")
        try:
            call = orjson.loads(request.body)
            data = self._output(_input(call))
        except (ValueError, KeyError, TypeError, IndexError):
            return Response(400, b"{}")
        parts = [{"data": data, "mediaType": "application/json"}]
        message = {"messageId": "m", "role": "ROLE_AGENT", "parts": parts}
        reply = {"jsonrpc": "2.0", "id": call.get("id"), "result": {"message": message}}
        return Response(body=orjson.dumps(reply))

    def _output(self, data: dict[str, Any]) -> dict[str, Any]:
        if "casinoName" in data:
            self.seat_token = data.get("seatToken", "")
            self.player_id = data.get("playerId", "")
            return self.signup
        self.questions.append(data)
        return {"action": "check" if "check" in data.get("legalActions", ()) else "fold"}


def _input(call: dict[str, Any]) -> dict[str, Any]:
    """Return the first data part of a call; raises KeyError, TypeError or IndexError if none."""
    parts: list[dict[str, Any]] = [
        part["data"] for part in call["params"]["message"]["parts"] if "data" in part
    ]
    return parts[0]
