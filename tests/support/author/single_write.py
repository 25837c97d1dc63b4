"""Counts the writes of a reply: a second one waits 40 ms for the acknowledgement of the first."""

import json
import re
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

from support.author.bot_process import BotProcess
from support.processes import PATIENCE_S

EXTENSION = "urn:a2a-casino:typed-entrypoints:v1"

KEPT = b"\r\nkeep-alive: timeout=75\r\n"
"""Header of Node: its own 5 s are less than the 60 s for which a caller keeps a connection, so a
question would be sent into a connection that is being closed."""

COUNTER = """
const fs = require("node:fs");
const { Socket } = require("node:net");
for (const name of ["_write", "_writev"]) {
  const write = Socket.prototype[name];
  Socket.prototype[name] = function (...rest) {
    if (this.server) fs.appendFileSync(process.env.WRITES, "write\\n");
    return write.apply(this, rest);
  };
}
"""
"""A module that Node loads before a bot: one line in the file WRITES for each write of a server."""


def call(skill: str, data: dict[str, Any], request_id: str = "1") -> bytes:
    """Return the bytes of an HTTP request that calls a skill as a table does."""
    message = {
        "messageId": "m",
        "role": "ROLE_USER",
        "metadata": {EXTENSION: {"skill": skill}},
        "parts": [{"data": data, "mediaType": "application/json"}],
    }
    envelope = {
        "jsonrpc": "2.0",
        "id": request_id,
        "method": "SendMessage",
        "params": {"message": message},
    }
    return posted(json.dumps(envelope).encode())


def posted(body: bytes) -> bytes:
    """Return the bytes of an HTTP request with a body."""
    return b"POST /rpc HTTP/1.1\r\nHost: bot\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def answer_of(response: bytes) -> dict[str, Any]:
    envelope = json.loads(response.partition(b"\r\n\r\n")[2])
    (part,) = envelope["result"]["message"]["parts"]
    answer: dict[str, Any] = part["data"]
    return answer


def fault_of(response: bytes) -> dict[str, Any]:
    fault: dict[str, Any] = json.loads(response.partition(b"\r\n\r\n")[2])["error"]
    return fault


def exchanged(bot: BotProcess, *requests: bytes) -> Iterator[bytes]:
    """Send requests over one connection, one after the other; yields the responses."""
    with (
        socket.create_connection(("127.0.0.1", bot.port), timeout=PATIENCE_S) as connection,
        connection.makefile("rb") as replies,
    ):
        for request in requests:
            connection.sendall(request)
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = replies.readline()
                assert line, "the connection was closed without an answer"
                head += line
            length = re.search(rb"content-length: *(\d+)", head.lower())
            yield head + (replies.read(int(length[1])) if length else b"")


def writes_of(handler: type[BaseHTTPRequestHandler], request: bytes) -> list[bytes]:
    """Serve one request with a handler; returns what it passed to the socket, by write."""
    here, there = socket.socketpair()
    there.sendall(request)
    there.shutdown(socket.SHUT_WR)
    with there, _Recorded(here) as recorded:
        handler(recorded, ("127.0.0.1", 0), None)  # type: ignore[arg-type]
        return recorded.written


class _Recorded(socket.socket):
    """A socket that remembers its writes."""

    def __init__(self, inner: socket.socket) -> None:
        super().__init__(inner.family, inner.type, inner.proto, inner.detach())
        self.written: list[bytes] = []

    def send(self, data: Any, flags: int = 0) -> int:
        self.written.append(bytes(data))
        return super().send(data, flags)

    def sendall(self, data: Any, flags: int = 0) -> None:
        self.written.append(bytes(data))
        super().sendall(data, flags)
