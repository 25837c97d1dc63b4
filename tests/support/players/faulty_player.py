"""Players with faults, on a plain HTTP server that can close its connections."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from casino_agentkit.protocol import CARD_PATH

from support.envelopes import Call, card

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

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def card_url(self) -> str:
        return self.url + CARD_PATH

    def answer(self, question: bytes) -> dict[str, Any] | None:
        """Return the reply; None closes the connection."""
        call = Call("jsonrpc", json.loads(question)["id"])
        if b"legalActions" not in question:
            token = _SEAT_TOKEN.search(question)
            self.seat_token = token.group(1).decode() if token else self.seat_token
            return call.text(json.dumps({"displayName": self.fault}))
        self.asked += 1
        if self.fault == "closes":
            return None
        if self.fault in _REPLIES:
            return _REPLIES[self.fault](call)
        if self.fault == "second attempt" and self.asked % 2:
            return call.text("let me think")
        action = "check" if _CAN_CHECK.search(question) else "fold"
        return call.text(json.dumps({"action": action}))


def _failed(call: Call) -> dict[str, Any]:
    parts = [{"text": "the model is down " + "x" * 1_000}]
    said = {"messageId": "m", "role": "ROLE_AGENT", "parts": parts}
    return call.task("failed", status={"state": "TASK_STATE_FAILED", "message": said})


_REPLIES: dict[str, Callable[[Call], dict[str, Any]]] = {
    "prose": lambda call: call.text("I think\x1b[31m I will\nwin."),
    "wrong action": lambda call: call.text('{"action": "dance"}'),
    "error": lambda call: {
        "jsonrpc": "2.0",
        "id": call.call_id,
        "error": {"code": -32000, "message": "the model is busy"},
    },
    "failed task": _failed,
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body are one write
    server: FaultyPlayer

    def do_GET(self) -> None:
        self._send({**card("jsonrpc", self.server.url), "capabilities": {}})

    def do_POST(self) -> None:
        answer = self.server.answer(self.rfile.read(int(self.headers["content-length"])))
        if answer is None:
            self.close_connection = True
        else:
            self._send(answer)

    def _send(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing."""


@contextmanager
def faulty_player(fault: str) -> Iterator[FaultyPlayer]:
    with FaultyPlayer(fault) as player:
        serving = threading.Thread(target=player.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        try:
            yield player
        finally:
            player.shutdown()
            serving.join()
