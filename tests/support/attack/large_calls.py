"""Large calls at every interface of a process, and what its memory is after some of them."""

import http.client
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import psutil
from casino_agentkit.protocol import EXTENSION, INPUT_LIMIT

_TESTS: Final = Path(__file__).parents[2]
_MIB: Final = 2**20
NUMBER: Final = b"@nnnn@"
"""What the number of a call replaces in its body."""
PAD: Final = "@pad@"
INTERFACES: Final = ("JSON-RPC", "HTTP+JSON", "A2A 0.3", "invoke")


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


@dataclass
class Call:
    """One call, which is sent again and again."""

    method: str
    path: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


class Caller:
    """Sends calls over one connection, and opens another when the server has closed it."""

    def __init__(self, url: str) -> None:
        self._host = urlsplit(url).netloc
        self._http = http.client.HTTPConnection(self._host, timeout=60)

    def send(self, call: Call) -> tuple[int, bytes]:
        """Return status and body of the reply; status 0 if the connection was cut while sending."""
        headers = {"Content-Type": "application/json", "A2A-Version": "1.0", **call.headers}
        with suppress(OSError, http.client.HTTPException):
            self._http.request(call.method, call.path, call.body, headers)
            reply = self._http.getresponse()
            return reply.status, reply.read()
        self._http.close()
        self._http = http.client.HTTPConnection(self._host, timeout=60)
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

    @property
    def mib(self) -> float:
        """By how much the memory grew."""
        return self.last_mib - self.first_mib


def growth(target: Victim, call: Call, first: int = 40, calls: int = 400) -> Growth:
    """Send a call `calls` times, each with its number."""
    caller = Caller(target.url)
    try:
        for number in range(1, calls + 1):
            status, reply = caller.send(
                replace(call, body=call.body.replace(NUMBER, b"%06d" % number))
            )
            if number == first:
                first_mib = target.mib()
    finally:
        caller.close()
    return Growth(status, reply, first_mib, target.mib())


def calls_of(base: str, skill: str, data: Any, size: int = INPUT_LIMIT) -> dict[str, Call]:
    """Return a skill's call at each interface, of `size` bytes; `PAD` in the input becomes text."""
    plain = {"messageId": "m", "metadata": {EXTENSION: {"skill": skill}}}
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
    written = json.dumps(content)
    missing = size - len(written) + len(PAD)
    return written.replace(PAD, "x" * missing).ljust(size).encode()
