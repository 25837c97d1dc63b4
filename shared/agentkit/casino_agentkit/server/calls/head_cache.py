"""Heads of requests for plain typed calls: judged once, then known by their bytes.

A head is plain if nothing in it concerns anybody but the agent that is called: whose RPC endpoint
its path is, and whether that is a capability address. All other heads are judged by the HTTP parser
and the application, every time.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from casino_agentkit.agent import Agent
from casino_agentkit.authority import FORWARDED, Caller, bearer
from casino_agentkit.protocol import (
    CAPABILITY_PATH,
    EXTENSION,
    EXTENSIONS_HEADER,
    RPC_PATH,
    VERSION,
    VERSION_HEADER,
)
from casino_agentkit.server.request_guard import PageRules
from casino_agentkit.server.served_agents import ADDRESSES, HostedAgents


class OpenedPath(NamedTuple):
    """A path without the prefix of a capability address; prefix and token are "" without one."""

    path: str
    prefix: str = ""
    token: str = ""


class AgentAddresses:
    """The paths of `agents`, which are keyed by the path of their RPC endpoint, and of `hosted`."""

    def __init__(self, agents: Mapping[str, Agent], hosted: HostedAgents | None = None) -> None:
        self._agents = {
            spelling: agent
            for path, agent in agents.items()
            if not agent.required_extensions  # the SDK's handler checks them
            for spelling in (path, path + "/")
        }
        self._addresses = tuple(
            path.removesuffix(RPC_PATH) + address for path in agents for address in ADDRESSES
        )
        self._hosted = hosted

    def agent_at(self, path: str) -> Agent | None:
        """Return the agent that may answer calls at a path without the SDK, None without one."""
        agent = self._agents.get(path)
        if agent is None and self._hosted is not None:
            return self._hosted.called_at(path)
        return agent

    def opened(self, path: str) -> OpenedPath:
        """Return a path without the prefix of a capability address, if it is one, and its token."""
        if not path.startswith(CAPABILITY_PATH):
            return OpenedPath(path)
        token, slash, rest = path.removeprefix(CAPABILITY_PATH).partition("/")
        inner = slash + rest
        is_address = inner.startswith(self._addresses) or (
            self._hosted is not None and self._hosted.is_address(inner)
        )
        if not token or not is_address:
            return OpenedPath(path)
        return OpenedPath(inner, CAPABILITY_PATH + token, bearer(f"Bearer {token}"))


Header = tuple[bytes, bytes]

_MOST_BYTES: Final = 2_048  # the longest head that is remembered
_REMEMBERED: Final = 2_048  # heads that are remembered; the oldest is forgotten first
_MOST_HEADERS: Final = 32
_FIRST_LINE: Final = re.compile(rb"POST (/[A-Za-z0-9._~/-]*) HTTP/1\.1")
"""Nothing that a server decodes, and no query."""
_HEADER: Final = re.compile(rb"([A-Za-z0-9-]+):[ \t]*([\x20-\x7e]*)")
_LENGTH: Final = b"content-length"
_LENGTH_LINE: Final = re.compile(rb"content-length: ?([0-9]{1,8})", re.IGNORECASE)
_KEEP_ALIVE: Final = (b"connection", b"keep-alive")
_OF_THE_CONNECTION: Final = frozenset(
    {
        b"connection",
        b"expect",
        b"proxy-connection",  # the parser reads it as `connection`
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_VERSION_NAME: Final = VERSION_HEADER.lower().encode()
CALL_VERSION: Final = VERSION.encode()
"""The version of a plain call: the SDK handles other spellings of 1.x, and refuses the rest."""
_EXTENSIONS: Final = EXTENSIONS_HEADER.lower().encode()
_EXTENSION: Final = EXTENSION.encode()
_AUTHORIZATION: Final = b"authorization"
_SINGLE: Final = frozenset({b"host", _LENGTH, _VERSION_NAME, _AUTHORIZATION})


class CallHead(NamedTuple):
    """What the head of a request says of a typed call."""

    path: str  # the path without the prefix of a capability address
    prefix: str  # that prefix, "" without one
    version: bytes | None  # the version of A2A; of two, the SDK decides
    token: str  # the bearer token of the header, "" without one
    capability: str  # the token of the capability address, "" without one
    activated: bool  # whether the typed-entrypoint extension is activated, and named in the reply
    is_forwarded: bool  # whether a proxy passed the request on

    def sender(self, address: str) -> Caller:
        return Caller(self.token or self.capability, address, self.capability, self.is_forwarded)


def head_of(path: str, headers: Iterable[Header], addresses: AgentAddresses) -> CallHead:
    """Return what a path and headers say, whose names are in lower case."""
    version = None
    activated = is_forwarded = False
    token = ""
    for name, value in headers:
        if name == _VERSION_NAME:
            version = value if version is None else b""
        elif name == _AUTHORIZATION:
            token = bearer(value.decode("latin-1"))
        elif name == _EXTENSIONS:  # a comma-separated list; the header may be repeated
            activated = activated or _EXTENSION in (uri.strip() for uri in value.split(b","))
        elif name in FORWARDED:
            is_forwarded = True
    opened = addresses.opened(path)
    return CallHead(
        opened.path, opened.prefix, version, token, opened.token, activated, is_forwarded
    )


class HeadCache:
    """Judges heads by the rules of web pages and the addresses of agents, and remembers them.

    The length of the body may differ between two requests with equal heads, if it is in the last
    header, where most clients write it.
    """

    def __init__(self, addresses: AgentAddresses, rules: PageRules) -> None:
        self._addresses = addresses
        self._rules = rules
        self._heads: dict[bytes, CallHead] = {}

    def __len__(self) -> int:
        return len(self._heads)

    def plain(self, request: bytes, end: int) -> CallHead | None:
        """None, unless the head is plain and exactly the body that it announces follows `end`."""
        last = request.rfind(b"\r\n", 0, end)
        length = _LENGTH_LINE.fullmatch(request, last + 2, end)
        if length is None or int(length[1]) != len(request) - end - 4:
            return None
        kept = self._heads.get(request[:last])
        return kept if kept is not None else self._judged(request[:last])

    def _judged(self, head: bytes) -> CallHead | None:
        """Return what a head without its last line says, and remember it; None if not plain."""
        if len(head) > _MOST_BYTES:
            return None
        first, *lines = head.split(b"\r\n")
        target = _FIRST_LINE.fullmatch(first)
        headers = _headers(lines)
        if target is None or headers is None or not _are_plain(headers):
            return None
        if self._rules.objection(headers, changes=True) is not None:
            return None
        judged = head_of(target[1].decode(), headers, self._addresses)
        if judged.version != CALL_VERSION or self._addresses.agent_at(judged.path) is None:
            return None
        if len(self._heads) >= _REMEMBERED:
            del self._heads[next(iter(self._heads))]
        self._heads[head] = judged
        return judged


def _headers(lines: Sequence[bytes]) -> list[Header] | None:
    """Return the headers of lines, names in lower case; None if one has another form."""
    matches = [_HEADER.fullmatch(line) for line in lines]
    if len(lines) > _MOST_HEADERS or None in matches:
        return None
    return [(match[1].lower(), match[2].rstrip()) for match in matches if match]


def _are_plain(headers: Sequence[Header]) -> bool:
    """Return whether headers are those of a plain call, without that of the body's length."""
    names = [name for name, _ in headers]
    return (
        names.count(b"host") == 1
        and _LENGTH not in names
        and all(names.count(name) <= 1 for name in _SINGLE)
        and all(
            name not in _OF_THE_CONNECTION or (name, value.lower()) == _KEEP_ALIVE
            for name, value in headers
        )
    )
