"""Which requests are refused before anybody reads them: too large ones, and those of web pages.

A web page of any origin can make the browser send requests to any address that the browser reaches,
including loopback (cross-site request forgery). If its own name resolves to such an address, it can
also read the replies (DNS rebinding). Browsers send the requested name in `Host`, and the page's
origin in `Origin`, `Sec-Fetch-Site` or `Referer`; a page can forge none of them. Programs such as
curl send no origin and are not affected.

Of a body, no more is read than its entrypoint or route needs. A JSON-RPC body names its skill only
within. So more than `INPUT_LIMIT` is read where an agent has a skill that needs it, and of a caller
that may send so many to it, by the head of the request alone.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

from casino_agentkit.agent import Agent
from casino_agentkit.authority import Caller
from casino_agentkit.entrypoint import LargeBody
from casino_agentkit.errors import KitError
from casino_agentkit.network import is_loopback
from casino_agentkit.protocol import ENTRYPOINTS_PATH, INPUT_LIMIT, REST_PATH, RPC_PATH

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_INSPECTED_HEADERS: Final = frozenset({b"host", b"origin", b"sec-fetch-site", b"referer"})
_SAME_ORIGIN: Final = frozenset({b"same-origin", b"none"})
"""`Sec-Fetch-Site` of same-origin pages, and of an address typed by a person."""

_HOST = re.compile(rb"(?P<name>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])\.?(:\d{1,5})?")
_DEFAULT_PORT = re.compile(rb":(80|443)$")
_MAX_HOSTS = 64
_HOST_SHOWN = 100


class PageObjection(NamedTuple):
    """Why a request is refused: status, title and detail of the problem."""

    status: int
    title: str
    detail: str


class PageRules:
    """Which requests of web pages a process answers, judged by the headers alone.

    The Host header must be loopback, an IP address (rebinding needs a name), one of `names`, or the
    host of `public_url`; otherwise the reply is 421, and its detail contains `setting`. A request
    for a WebSocket, or with a method other than GET, HEAD and OPTIONS, must not come from a page of
    another origin than the process's own, the public URL's or one of `origins`; otherwise the reply
    is 403, and its detail contains `origins_setting`.
    """

    def __init__(
        self,
        names: Collection[str] = (),
        public_url: str | None = None,
        *,
        origins: Collection[str] = (),
        setting: str = "hosts",
        origins_setting: str | None = None,
    ) -> None:
        self._setting = setting
        self._origins_setting = origins_setting
        public = urlsplit(public_url or "")
        self._names = {name.lower() for name in (*names, public.hostname or "") if name}
        self._origins = {origin.lower().encode() for origin in origins}
        if public_url:
            self._origins.add(f"{public.scheme}://{public.netloc}".lower().encode())
        self._accepted: set[bytes] = set()

    def objection(
        self, headers: Iterable[tuple[bytes, bytes]], *, changes: bool
    ) -> PageObjection | None:
        """Return why a request with these headers is refused, None if it is not.

        Names of headers are in lower case. `changes`: it may change something, as a page of another
        origin must not.
        """
        host = origin = site = referer = None
        for name, value in headers:
            if name in _INSPECTED_HEADERS:
                if name == b"host":
                    host = value
                    if host not in self._accepted and not self._is_own_host(host):
                        detail = self._wrong_host_detail(host)
                        return PageObjection(421, "Misdirected Request", detail)
                elif name == b"origin":
                    origin = value
                elif name == b"referer":
                    referer = value
                else:
                    site = value
        if (
            changes
            and (origin is not None or site is not None or referer is not None)
            and not self._is_allowed_page(host, origin, site, referer)
        ):
            return PageObjection(403, "Forbidden", self._foreign_origin_detail())
        return None

    def _is_own_host(self, host: bytes) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match["name"].decode().lower().rstrip(".")
        if name not in self._names and not is_loopback(name) and not _is_address(name):
            return False
        if len(self._accepted) < _MAX_HOSTS:
            self._accepted.add(host)
        return True

    def _is_allowed_page(
        self, host: bytes | None, origin: bytes | None, site: bytes | None, referer: bytes | None
    ) -> bool:
        """Use `Referer` for old browsers that send neither of the other two headers."""
        if origin is not None:
            return self._is_allowed_origin(origin, host)
        if site is not None:
            return site in _SAME_ORIGIN
        try:
            page = urlsplit(referer or b"")
        except ValueError:  # not a URL
            return False
        return self._is_allowed_origin(page.scheme + b"://" + page.netloc, host)

    def _is_allowed_origin(self, origin: bytes, host: bytes | None) -> bool:
        origin = origin.lower()
        if origin in self._origins:
            return True
        _, separator, place = origin.partition(b"://")
        # The Host header is valid, so a page of the same host and port is from this process.
        own = _DEFAULT_PORT.sub(b"", host or b"").lower()
        return bool(separator and own) and _DEFAULT_PORT.sub(b"", place) == own

    def _wrong_host_detail(self, host: bytes) -> str:
        excerpt = host[:_HOST_SHOWN].decode("ascii", "backslashreplace")
        return (
            f"The host name {excerpt!r} is not accepted."
            f" To accept it, the operator adds it to {self._setting}."
        )

    def _foreign_origin_detail(self) -> str:
        refusal = "Web pages of other origins must not send this request."
        if self._origins_setting is None:
            return refusal
        return f"{refusal} To allow it, the operator adds the origin to {self._origins_setting}."


class BrowserGuard(PageRules):
    """ASGI middleware that refuses requests to which its rules object."""

    def __init__(
        self,
        app: ASGIApp,
        names: Collection[str] = (),
        public_url: str | None = None,
        *,
        origins: Collection[str] = (),
        setting: str = "hosts",
        origins_setting: str | None = None,
    ) -> None:
        super().__init__(
            names, public_url, origins=origins, setting=setting, origins_setting=origins_setting
        )
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_websocket = scope["type"] == "websocket"
        if scope["type"] == "http" or is_websocket:
            changes = is_websocket or scope["method"] not in _SAFE_METHODS
            objection = self.objection(scope["headers"], changes=changes)
            if objection is not None:
                await _refuse(scope, send, *objection)
                return
        await self._app(scope, receive, send)


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


async def _refuse(scope: Scope, send: Send, status: int, title: str, detail: str) -> None:
    """Respond with a problem and close the connection, because its body is unread."""
    kind = "http.response" if scope["type"] == "http" else "websocket.http.response"
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"x-content-type-options", b"nosniff"),
        (b"connection", b"close"),
    ]
    await send({"type": f"{kind}.start", "status": status, "headers": headers})
    await send({"type": f"{kind}.body", "body": orjson.dumps(problem)})


_A2A: Final = "/a2a/"
_INVALID_REQUEST: Final = -32600
_TOO_LARGE: Final = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
_LARGER: Final = " A larger one needs the token of one who may send it, in the header."

BodyRefusal = Callable[[str, str], Mapping[str, Any] | None]
"""Returns how an interface refuses a body, from path and reason; None if the path is of none."""


class TooLarge(KitError):
    """The body exceeds the named limit; `status` is 401 if other callers may send as much."""

    def __init__(self, message: str, status: HTTPStatus) -> None:
        super().__init__(message)
        self.status = status


class BodyLimits:
    """The limits of a process, whose `agents` are keyed by the path of their RPC endpoint.

    `routes` are what its other paths need, by how they begin.
    """

    def __init__(self, agents: Mapping[str, Agent], routes: Mapping[str, LargeBody]) -> None:
        self._routes = routes
        self._agents = {
            path.removesuffix(RPC_PATH): large
            for path, agent in agents.items()
            if (large := _large_of(agent))
        }

    def of(self, path: str, sender: Caller) -> int:
        at_most = (body.most_bytes for body in self._at(path) if body.may_send(sender))
        return max(at_most, default=INPUT_LIMIT)

    def check(self, size: int, path: str, sender: Caller) -> None:
        """Check the size of a body, in bytes. Raises TooLarge."""
        if size > INPUT_LIMIT and size > (at_most := self.of(path, sender)):
            needs_token = at_most == INPUT_LIMIT and bool(self._at(path))
            status = _TOO_LARGE
            if needs_token and path.startswith(tuple(self._routes)):
                status = HTTPStatus.UNAUTHORIZED
            larger = _LARGER if needs_token else ""
            raise TooLarge(f"The body may have at most {at_most} bytes here.{larger}", status)

    def _at(self, path: str) -> list[LargeBody]:
        for base, skills in self._agents.items():
            if path.startswith((base + _A2A, base + ENTRYPOINTS_PATH)):
                _, invoked, rest = path.rpartition(ENTRYPOINTS_PATH + "/")
                skill = rest.partition("/")[0]
                return [body for name, body in skills.items() if not invoked or name == skill]
        return [body for start, body in self._routes.items() if path.startswith(start)]


def _large_of(agent: Agent) -> dict[str, LargeBody]:
    entrypoints = agent.entrypoints.values()
    return {entry.skill: entry.large for entry in entrypoints if entry.large is not None}


def refusal_of(path: str, refused: TooLarge, own: BodyRefusal) -> tuple[str, bytes]:
    """Return media type and body of the refusal, in the form of the interface that has the path."""
    reason = str(refused)
    content: Mapping[str, Any] | None
    if ENTRYPOINTS_PATH + "/" in path:
        content = {"error": {"code": "body_too_large", "message": reason}}
    elif path.rstrip("/").endswith(RPC_PATH):
        error = {"code": _INVALID_REQUEST, "message": reason}
        content = {"jsonrpc": "2.0", "id": None, "error": error}
    elif REST_PATH + "/" in path:
        error = {"code": _TOO_LARGE, "status": "INVALID_ARGUMENT", "message": reason}
        content = {"error": error}
    elif (content := own(path, reason)) is None:
        title = "Content Too Large" if refused.status == _TOO_LARGE else "Unauthorized"
        problem = {"type": "about:blank", "title": title, "status": refused.status}
        return "application/problem+json", orjson.dumps({**problem, "detail": reason})
    return "application/json", orjson.dumps(content)
