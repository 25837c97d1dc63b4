"""The invoke profile on the standard library: an agent with entrypoints."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

CARD_PATH = "/.well-known/agent-card.json"


@dataclass(frozen=True)
class Entrypoint:
    """One entrypoint: the check of each field that its input needs, and what it does."""

    shape: Mapping[str, Callable[[Any], bool]]
    run: Callable[[dict[str, Any]], dict[str, Any]]

    def invoke(self, given: Any) -> tuple[int, dict[str, Any]]:
        """Return status and body; fields that it does not know are dropped, as Zod does."""
        values = given if isinstance(given, dict) else {}
        issues = [
            {"code": "invalid_value", "path": [name], "message": f"Invalid input: {name}"}
            for name, is_valid in self.shape.items()
            if not is_valid(values.get(name))
        ]
        if issues:
            return 400, {"error": {"code": "invalid_input", "issues": issues}}
        output = self.run({name: values[name] for name in self.shape} if self.shape else values)
        return 200, {"run_id": str(uuid4()), "status": "succeeded", "output": output}


class InvokeAgent:
    """An agent with a card of three fields and entrypoints, at the root of its own origin."""

    def __init__(self, name: str, port: int = 0) -> None:
        self._entrypoints: dict[str, Entrypoint] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self.name = name
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self.card_url = self.url.rstrip("/") + CARD_PATH

    def offer(self, key: str, entrypoint: Entrypoint) -> None:
        """Add an entrypoint."""
        self._entrypoints[key] = entrypoint

    def serve_forever(self) -> None:
        """Serve until the process ends."""
        self._server.serve_forever()

    def _card(self) -> dict[str, Any]:
        skills = [{"id": key} for key in self._entrypoints]
        return {"name": self.name, "url": self.url, "skills": skills}

    def _post(self, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
        match path.strip("/").split("/"):
            case ["entrypoints", key, "invoke"] if key in self._entrypoints:
                return self._entrypoints[key].invoke(json.loads(body).get("input"))
        return 404, {"error": {"code": "entrypoint_not_found"}}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        agent = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # headers and body are one write

            def do_GET(self) -> None:
                if self.path == CARD_PATH:
                    self._send(200, agent._card())
                else:
                    self._send(404, {"error": {"code": "not_found"}})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                self._send(*agent._post(self.path, body))

            def _send(self, status: int, content: Any) -> None:
                body = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: Any) -> None:
                """Write no line per request."""

        return Handler
