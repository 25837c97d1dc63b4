"""An agent with the document's entrypoints, on the standard library, over any of the wires."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple

from foreign.document_peers.shapes import Shape, faults
from foreign.document_peers.wires import CARD_PATHS, JSON, InvalidInput, Json, Wire


class Skill(NamedTuple):
    """One entrypoint: the shape of its input, and what it does."""

    shape: Shape
    run: Callable[[Json], Json]


class DocumentAgent:
    """An agent with entrypoints; it notes every input that is not of the document's shape."""

    def __init__(self, name: str, wire: Wire) -> None:
        self.name = name
        self.wire = wire
        self.url = ""
        self.skills: dict[str, Skill] = {}
        self.violations: list[str] = []

    @property
    def card_url(self) -> str:
        """The address of its card."""
        return self.url + CARD_PATHS[0]

    def offer(self, skill: str, shape: Shape, run: Callable[[Json], Json]) -> None:
        self.skills[skill] = Skill(shape, run)

    def note(self, where: str, shape: Shape, value: Any) -> bool:
        """Note the violations of a value; returns whether there are none."""
        found = [f"{where}{fault}" for fault in faults(shape, value)]
        self.violations += found
        return not found

    def card(self) -> Json:
        return {"name": self.name, **self.wire.card(self.url, self.skills)}

    def call(self, card_url: str, skill: str, data: Json) -> Json:
        """Call another agent's skill; raises Refused."""
        return self.wire.call(card_url, skill, data)

    def answer(self, skill: str, data: Json) -> Json:
        """Run a skill; raises Refused, or InvalidInput."""
        if skill not in self.skills:
            self.violations.append(f"a call of no skill: {skill!r}, {data}")
            raise InvalidInput("no skill takes this input")
        if not self.note(f"{skill} input", self.skills[skill].shape, data):
            raise InvalidInput(f"invalid input of {skill}")
        return self.skills[skill].run(data)


class _Handler(BaseHTTPRequestHandler):
    agent: ClassVar[DocumentAgent]
    timeout = 30
    wbufsize = -1  # headers and body are one write

    def do_GET(self) -> None:
        """Serve the card."""
        if self.path in [self.agent.wire.base + path for path in CARD_PATHS]:
            self._reply(200, self.agent.card())
        else:
            self._reply(404, {"error": "not found"})

    def do_POST(self) -> None:
        """Serve a call."""
        agent = self.agent
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.removeprefix(agent.wire.base)
        self._reply(*agent.wire.reply(path, body, agent.skills, agent.answer))

    def _reply(self, status: int, content: Json) -> None:
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
        agent.url = f"http://127.0.0.1:{server.server_port}{agent.wire.base}"
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
