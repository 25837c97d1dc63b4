"""Large calls at every interface of a process, and what its memory is after some of them."""

import http.client
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import psutil
from casino_agentkit.protocol import EXTENSION, INPUT_LIMIT

_TESTS: Final = Path(__file__).parents[2]
_MIB: Final = 2**20
NUMBER: Final = "@nnnn@"
"""What the number of a call replaces in it."""
PAD: Final = "@pad@"
INTERFACES: Final = ("JSON-RPC", "HTTP+JSON", "A2A 0.3", "invoke")
_REFUSALS: Final = (
    b'"error":',
    b'"refused":',
    b'"type":"error"',
    b"TASK_STATE_REJECTED",
    b"TASK_STATE_FAILED",
    b'"state":"rejected"',
    b'"status":"failed"',
)


@dataclass(frozen=True)
class Victim:
    """A service in a process of its own."""

    pid: int
    url: str
    cards: Sequence[str]
    routes: Sequence[tuple[str, str]]

    def mib(self) -> float:
        """Return its resident memory."""
        return float(psutil.Process(self.pid).memory_info().rss) / _MIB


@contextmanager
def victim(
    module: str,
    *arguments: str,
    without: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
) -> Iterator[Victim]:
    """Run a service, without some defences of `weakened`, in a directory of its own."""
    with tempfile.TemporaryDirectory() as place:
        given = {name: value for name, value in os.environ.items() if "CASINO" not in name}
        command = [sys.executable, "-m", "support.attack.weakened", ",".join(without), module]
        process = subprocess.Popen(
            [*command, *arguments, "--supervised"],
            env={**given, "PYTHONPATH": str(_TESTS), **(settings or {})},
            cwd=place,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            routes = json.loads(process.stdout.readline())["routes"]
            ready = json.loads(process.stdout.readline())
            yield Victim(process.pid, ready["url"], ready["cards"], [tuple(one) for one in routes])
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()


Renew = Callable[[bytes], Mapping[str, str]]
"""Makes a further call possible, after the reply to the one before (at first none).

It returns texts of the call, and what replaces each.
"""


@dataclass
class Call:
    """One call, which is sent again and again."""

    method: str
    path: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    renew: Renew = lambda _reply: {}

    def next(self, number: int, reply: bytes) -> "Call":
        """Return the call with a number, after the reply to the call before."""
        path, body, headers = self.path, self.body, dict(self.headers)
        for text, value in {NUMBER: f"{number:06}", **self.renew(reply)}.items():
            path = path.replace(text, value)
            body = body.replace(text.encode(), value.encode())
            headers = {name: field.replace(text, value) for name, field in headers.items()}
        return Call(self.method, path, body, headers)

    def is_accepted(self, status: int, reply: bytes) -> bool:
        """Return whether a reply says that the call was accepted."""
        is_read = self.method == "GET"
        return status in range(200, 300) and (is_read or not says_refused(reply))


def says_refused(reply: bytes) -> bool:
    """Return whether a reply tells of a refusal, or of a failure."""
    compact = reply.replace(b" ", b"")
    return any(sign in compact for sign in _REFUSALS)


class Sender(Protocol):
    """Sends calls to a process."""

    def send(self, call: Call) -> tuple[int, bytes]:
        """Return status and body of the reply; status 0 if there is none."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class Caller:
    """Sends calls over one connection, and opens another when the server has closed it.

    When the budget of its address is spent, it calls from the next address of loopback.
    """

    def __init__(self, url: str) -> None:
        self._host = urlsplit(url).netloc
        self._address = 1
        self._http = self._connection()

    def _connection(self) -> http.client.HTTPConnection:
        source = (f"127.0.0.{self._address}", 0)
        return http.client.HTTPConnection(self._host, timeout=120, source_address=source)

    def send(self, call: Call) -> tuple[int, bytes]:
        """Return status and body of the reply; status 0 if the connection was cut while sending."""
        status, reply = self._send(call)
        if status == http.HTTPStatus.TOO_MANY_REQUESTS:
            self._http.close()
            self._address = self._address % 200 + 1
            self._http = self._connection()
            return self._send(call)
        return status, reply

    def _send(self, call: Call) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json", "A2A-Version": "1.0", **call.headers}
        with suppress(OSError, http.client.HTTPException):
            self._http.request(call.method, call.path, call.body, headers)
            reply = self._http.getresponse()
            return reply.status, reply.read()
        self._http.close()
        self._http = self._connection()
        return 0, b""

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


@dataclass(frozen=True)
class Growth:
    """The last reply to a call, and the memory after the first calls and after all."""

    status: int
    reply: bytes
    first_mib: float
    last_mib: float
    accepted: int
    """How many of the calls were accepted."""

    @property
    def mib(self) -> float:
        """By how much the memory grew."""
        return self.last_mib - self.first_mib


def growth(
    target: Victim, call: Call, first: int = 40, calls: int = 400, sender: Sender | None = None
) -> Growth:
    """Send a call `calls` times, each with its number, by default over HTTP."""
    sender = sender or Caller(target.url)
    reply, accepted = b"", 0
    try:
        for number in range(1, calls + 1):
            status, reply = sender.send(call.next(number, reply))
            accepted += call.is_accepted(status, reply)
            if number == first:
                first_mib = target.mib()
    finally:
        sender.close()
    return Growth(status, reply, first_mib, target.mib(), accepted)


def calls_of(
    base: str, skill: str, data: Any, size: int = INPUT_LIMIT, **metadata: str
) -> dict[str, Call]:
    """Return a skill's call at each interface, of `size` bytes; `PAD` in it becomes text."""
    plain = {"messageId": "m", "metadata": {EXTENSION: {"skill": skill}, **metadata}}
    part = {"data": data, "mediaType": "application/json"}
    now = {**plain, "role": "ROLE_USER", "extensions": [EXTENSION], "parts": [part]}
    before = {**plain, "role": "user", "kind": "message", "parts": [{"kind": "data", "data": data}]}
    rpc = {"jsonrpc": "2.0", "id": 1}
    contents: dict[str, tuple[str, Any, dict[str, str]]] = {
        "JSON-RPC": (
            "/a2a/jsonrpc",
            {**rpc, "method": "SendMessage", "params": {"message": now}},
            {},
        ),
        "HTTP+JSON": ("/a2a/rest/message:send", {"message": now}, {}),
        "A2A 0.3": (
            "/a2a/jsonrpc",
            {**rpc, "method": "message/send", "params": {"message": before}},
            {"A2A-Version": "0.3"},
        ),
        "invoke": (f"/entrypoints/{skill}/invoke", {"input": data}, {}),
    }
    return {
        interface: Call("POST", base + path, padded(content, size), headers)
        for interface, (path, content, headers) in contents.items()
    }


def padded(content: Any, size: int = INPUT_LIMIT) -> bytes:
    """Return JSON of `size` bytes: text instead of `PAD`, or spaces behind it."""
    written = json.dumps(content, separators=(",", ":"))
    missing = size - len(written) + len(PAD)
    return written.replace(PAD, "x" * missing).ljust(size).encode()
