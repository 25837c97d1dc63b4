"""An A2A 1.0 agent and a client, on the standard library: a card and JSON-RPC `SendMessage`.

A message carries the input in a data part. A2A has no field for the skill that is meant, so a
caller names it in the message's metadata, and an agent finds any of its own ids there; without one
it goes by the input's shape.
"""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, ClassVar

from foreign.document_peers.shapes import Shape, faults

CARD_PATH = "/.well-known/agent-card.json"
JSON = "application/json"
_REFUSED, _INVALID = -32004, -32602
_ids = count(1)


class Refused(Exception):
    """An agent refuses a call, or cannot be called."""


@dataclass(frozen=True)
class Skill:
    """One entrypoint: the shape of its input, and what it does."""

    shape: Shape
    keys: frozenset[str]
    """Keys by which an input without a name is recognised."""
    run: Callable[[dict[str, Any]], dict[str, Any]]


class DocumentAgent:
    """An agent with entrypoints; it notes every input that is not of the document's shape."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.url = ""
        self.skills: dict[str, Skill] = {}
        self.violations: list[str] = []

    @property
    def card_url(self) -> str:
        """The address of its card."""
        return self.url + CARD_PATH

    def offer(
        self, skill: str, shape: Shape, keys: str, run: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> None:
        """Add an entrypoint; `keys` are separated by spaces."""
        self.skills[skill] = Skill(shape, frozenset(keys.split()), run)

    def note(self, where: str, shape: Shape, value: Any) -> bool:
        """Note the violations of a value; returns whether there are none."""
        found = [f"{where}{fault}" for fault in faults(shape, value)]
        self.violations += found
        return not found

    def card(self) -> dict[str, Any]:
        """Return the agent card."""
        return {
            "name": self.name,
            "description": "Knows the casino protocol's document, and nothing else.",
            "version": "1",
            "supportedInterfaces": [
                {"url": f"{self.url}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
            ],
            "capabilities": {"streaming": False, "pushNotifications": False},
            "defaultInputModes": [JSON],
            "defaultOutputModes": [JSON],
            "skills": [
                {"id": name, "name": name, "description": f"The entrypoint {name}.", "tags": ["x"]}
                for name in self.skills
            ],
        }

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Run the skill of a message; raises Refused, or ValueError for an invalid input."""
        data = next((part["data"] for part in message.get("parts", []) if "data" in part), None)
        if not isinstance(data, dict):
            self.violations.append(f"a message without a data part: {message}")
            raise ValueError("a data part with an object is needed")  # noqa: TRY004  as all faults
        name = self._skill_of(message, data)
        if not self.note(f"{name} input", self.skills[name].shape, data):
            raise ValueError(f"invalid input of {name}")
        return self.skills[name].run(data)

    def _skill_of(self, message: dict[str, Any], data: dict[str, Any]) -> str:
        named = [text for text in _texts(message.get("metadata")) if text in self.skills]
        fitting = [name for name, skill in self.skills.items() if skill.keys <= data.keys()]
        for name in (*named, *fitting):
            return name
        self.violations.append(f"a call of no skill: {message}")
        raise ValueError("no skill takes this input")


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


class _Handler(BaseHTTPRequestHandler):
    agent: ClassVar[DocumentAgent]
    timeout = 30
    wbufsize = -1  # headers and body are one write

    def do_GET(self) -> None:
        """Serve the card."""
        if self.path == CARD_PATH:
            self._reply(200, self.agent.card())
        else:
            self._reply(404, {"error": "not found"})

    def do_POST(self) -> None:
        """Serve a JSON-RPC call."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": body.get("id")}
        if body.get("method") != "SendMessage":
            reply["error"] = {"code": -32601, "message": "only SendMessage is offered"}
            return self._reply(200, reply)
        message = body["params"]["message"]
        try:
            part = {"data": self.agent.answer(message), "mediaType": JSON}
            reply["result"] = {
                "message": {"messageId": f"r{next(_ids)}", "role": "ROLE_AGENT", "parts": [part]}
            }
        except Refused as refused:
            reply["error"] = {"code": _REFUSED, "message": str(refused)}
        except ValueError as error:
            reply["error"] = {"code": _INVALID, "message": str(error)}
        return self._reply(200, reply)

    def _reply(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", JSON)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def serving(*agents: DocumentAgent) -> Iterator[None]:
    """Serve agents, each on a free port of its own, in threads of this process."""
    servers = []
    for agent in agents:
        handler = type("Handler", (_Handler,), {"agent": agent})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        agent.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        servers.append((server, thread))
    try:
        yield
    finally:
        for server, thread in servers:
            server.shutdown()
            thread.join()
            server.server_close()


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(card_url: str, skill: str, data: dict[str, Any], timeout_s: float = 60) -> dict[str, Any]:
    """Call an agent's entrypoint; raises Refused."""
    card = _fetch(urllib.request.Request(card_url), timeout_s)
    url = next(
        interface["url"]
        for interface in card["supportedInterfaces"]
        if interface["protocolBinding"] == "JSONRPC"
    )
    message = {
        "messageId": f"m{next(_ids)}",
        "role": "ROLE_USER",
        "metadata": {"skillId": skill},
        "parts": [{"data": data, "mediaType": JSON}],
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    request = urllib.request.Request(
        url,
        json.dumps(body).encode(),
        {"Content-Type": JSON, "A2A-Version": "1.0"},
    )
    reply = _fetch(request, timeout_s)
    if "error" in reply:
        raise Refused(str(reply["error"]))
    (part,) = reply["result"]["message"]["parts"]
    output: dict[str, Any] = part["data"]
    return output


def _fetch(request: urllib.request.Request, timeout_s: float) -> dict[str, Any]:
    try:
        with _opener.open(request, timeout=timeout_s) as reply:
            content: dict[str, Any] = json.load(reply)
            return content
    except (urllib.error.URLError, OSError) as error:
        raise Refused(f"{request.full_url}: {error}") from error
