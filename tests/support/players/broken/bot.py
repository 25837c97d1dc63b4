"""A sound bot on Python's library alone; a broken one overrides a method or two."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any

SKILL = "urn:a2a-casino:typed-entrypoints:v1"


class Bot:
    """Checks, calls or folds; each step from a request to its reply is a method of its own."""

    path = ""
    """What the check adds to its address."""
    server: type[HTTPServer] = ThreadingHTTPServer
    protocol = "HTTP/1.1"

    def __init__(self) -> None:
        self.address = ""
        self.is_dead = False
        self.released = threading.Event()
        """Set at the end: what hangs is released."""

    # The card.

    def card(self) -> Any:
        """Return the card as JSON."""
        return {
            "name": type(self).__name__,
            "description": "A bot of a test.",
            "version": "1",
            "supportedInterfaces": [self.interface()],
            "capabilities": {"extensions": [{"uri": SKILL}]},
            "skills": [{"id": "signup"}, {"id": "act"}],
        }

    def interface(self) -> dict[str, str]:
        """Return the interface on the card."""
        url = f"{self.address}/rpc"
        return {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}

    def get(self) -> tuple[int, bytes]:
        """Return status and body for a request of the card."""
        return 200, json.dumps(self.card()).encode()

    # Calls.

    def signup(self, invitation: dict[str, Any]) -> Any:
        """Answer an invitation."""
        del invitation
        return {"displayName": type(self).__name__}

    def act(self, turn: dict[str, Any]) -> Any:
        """Decide."""
        return {"action": "check" if "check" in turn["legalActions"] else "call"}

    def answer(self, call: dict[str, Any]) -> Any:
        """Return the answer to a call."""
        message = call["params"]["message"]
        data = message["parts"][0]["data"]
        skill = message["metadata"][SKILL]["skill"]
        return self.signup(data) if skill == "signup" else self.act(data)

    def envelope(self, call: dict[str, Any], answer: Any) -> Any:
        """Return the reply to a call."""
        part = {"data": answer, "mediaType": "application/json"}
        message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [part]}
        return {"jsonrpc": "2.0", "id": call["id"], "result": {"message": message}}

    def post(self, body: bytes) -> tuple[int, bytes] | None:
        """Return status and body for a call; None closes the connection."""
        try:
            call = json.loads(body)
            answer = self.answer(call)
        except (ValueError, LookupError, TypeError):
            error = {"code": -32602, "message": "no call of signup or act"}
            return 200, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        return 200, json.dumps(self.envelope(call, answer)).encode()

    def write(self, handler: BaseHTTPRequestHandler, head: bytes, body: bytes) -> None:
        """Write a reply."""
        handler.wfile.write(head + body)


class _Handler(BaseHTTPRequestHandler):
    """Serves one bot."""

    bot: Bot
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        """Serve the card."""
        self._send(self.bot.get())

    def do_POST(self) -> None:
        """Answer a call."""
        self._send(self.bot.post(self.rfile.read(int(self.headers.get("content-length", 0)))))

    def _send(self, reply: tuple[int, bytes] | None) -> None:
        if reply is None or self.bot.is_dead:
            self.close_connection = True
            return
        status, body = reply
        kept = "" if self.protocol_version == "HTTP/1.1" else "Connection: close\r\n"
        head = f"{self.protocol_version} {status} It\r\nContent-Type: application/json\r\n{kept}"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        self.bot.write(self, head.encode(), body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing."""


def _ignore(*_: object) -> None:
    """Print nothing when a connection breaks: the check closes some."""


@contextmanager
def served(bot: Bot, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve a bot; gives the address for the check."""
    handler = type("Handler", (_Handler,), {"bot": bot, "protocol_version": bot.protocol})
    with bot.server(("127.0.0.1", 0), handler) as server:
        if isinstance(server, ThreadingHTTPServer):
            server.daemon_threads = True
            server.block_on_close = False
        server.handle_error = _ignore  # type: ignore[assignment,method-assign]
        scheme = "http"
        if tls is not None:
            scheme = "https"
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        bot.address = f"{scheme}://127.0.0.1:{server.server_address[1]}"
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        try:
            yield bot.address + bot.path
        finally:
            bot.released.set()
            server.shutdown()
            serving.join()
