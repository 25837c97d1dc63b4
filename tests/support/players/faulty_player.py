"""Players with faults, written from the protocol document with Python's library alone."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_SEAT_TOKEN = re.compile(rb'seatToken\\*"\s*:\s*\\*"([^"\\]+)')

_CAN_CHECK = re.compile(rb"legalActions[^\]]*check")


class FaultyPlayer(ThreadingHTTPServer):
    """A player agent; its fault says how it answers when it is asked for an action."""

    daemon_threads = True

    def __init__(self, fault: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fault = fault
        self.seat_token = ""
        self.asked = 0
        self.is_over = threading.Event()

    @property
    def url(self) -> str:
        """The address of the agent."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def card_url(self) -> str:
        """The address of its card."""
        return f"{self.url}/.well-known/agent-card.json"

    def answer(self, question: bytes) -> dict[str, Any] | None:
        """Return the members of the JSON-RPC reply; None closes the connection."""
        token = _SEAT_TOKEN.search(question)
        if b"legalActions" not in question:
            self.seat_token = token.group(1).decode() if token else self.seat_token
            return _text(json.dumps({"displayName": self.fault}))
        self.asked += 1
        if self.fault == "too late":
            self.is_over.wait(20)
        if self.fault in {"too late", "closes"}:
            return None
        if self.fault in _REPLIES:
            return _REPLIES[self.fault]
        if self.fault == "second attempt" and self.asked % 2:
            return _text("let me think")
        action = "check" if _CAN_CHECK.search(question) else "fold"
        return _text(json.dumps({"action": action}))


class _Handler(BaseHTTPRequestHandler):
    """Serves the card and answers messages."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body are one write
    server: FaultyPlayer

    def do_GET(self) -> None:
        """Serve the card."""
        interface = {
            "url": f"{self.server.url}/",
            "protocolBinding": "JSONRPC",
            "protocolVersion": "1.0",
        }
        skills = [
            {"id": name, "name": name, "description": name, "tags": ["poker"]}
            for name in ("signup", "act")
        ]
        self._send(
            {
                "name": self.server.fault,
                "description": "A player in a test.",
                "version": "1",
                "supportedInterfaces": [interface],
                "capabilities": {},
                "skills": skills,
                "defaultInputModes": ["text/plain"],
                "defaultOutputModes": ["text/plain"],
            }
        )

    def do_POST(self) -> None:
        """Answer a message."""
        question = self.rfile.read(int(self.headers["content-length"]))
        answer = self.server.answer(question)
        if answer is None:
            self.close_connection = True
            return
        self._send({"jsonrpc": "2.0", "id": json.loads(question)["id"], **answer})

    def _send(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing."""


def _text(text: str) -> dict[str, Any]:
    message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": text}]}
    return {"result": {"message": message}}


def _failed(text: str) -> dict[str, Any]:
    message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": text}]}
    status = {"state": "TASK_STATE_FAILED", "message": message}
    return {"result": {"task": {"id": "t", "contextId": "c", "status": status}}}


_REPLIES: dict[str, dict[str, Any]] = {
    "prose": _text("I think\x1b[31m I will\nfold."),
    "wrong action": _text('{"action": "dance"}'),
    "illegal amount": _text('{"action": "raise", "amount": 1}'),
    "error": {"error": {"code": -32000, "message": "the model is busy"}},
    "failed task": _failed("the model is down " + "x" * 1_000),
}


@contextmanager
def faulty_player(fault: str) -> Iterator[FaultyPlayer]:
    """Serve a player with a fault."""
    with FaultyPlayer(fault) as player:
        serving = threading.Thread(target=player.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        try:
            yield player
        finally:
            player.is_over.set()
            player.shutdown()
            serving.join()
