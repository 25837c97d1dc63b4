"""What stands between a browser and a service, so that no foreign web page can use it.

A page of any origin may make its reader's browser send requests to every address that the browser
reaches, a casino on loopback too (cross-site request forgery). And it may let a name of its own
point at such an address and then even read the answers (DNS rebinding). A browser says who asks:
the name it went to in `Host`, the page's origin in `Origin`, `Sec-Fetch-Site` or `Referer`, none
of which a page can forge. Programs such as curl send no origin, and are not affected.
"""

import re
from collections.abc import Collection
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

from casino_agentkit.loopback import is_loopback

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOKED_AT: Final = frozenset({b"host", b"origin", b"sec-fetch-site", b"referer"})
_OURS: Final = frozenset({b"same-origin", b"none"})
"""`Sec-Fetch-Site` of our own pages, and of a person who types an address."""

_HOST = re.compile(rb"(?P<name>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])\.?(:\d{1,5})?")
_DEFAULT_PORT = re.compile(rb":(80|443)$")
_HOSTS_KEPT = 64
_NAMED_AT_MOST = 100


class BrowserGuard:
    """ASGI application that refuses what a foreign web page sends, and hands the rest to `app`.

    A request must name a host that this process goes by: loopback, an IP address (rebinding needs a
    name), one of `names`, or the host of `public_url`; else it gets 421, and `setting` is named as
    what would allow it. A request that may change something must not come from a page of another
    origin than its own, that of the public URL or one of `origins`; else it gets 403, and
    `origins_setting` is named.
    """

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
        self._app = app
        self._setting = setting
        self._origins_setting = origins_setting
        public = urlsplit(public_url or "")
        self._names = {name.lower() for name in (*names, public.hostname or "") if name}
        self._origins = {origin.lower().encode() for origin in origins}
        if public_url:
            self._origins.add(f"{public.scheme}://{public.netloc}".lower().encode())
        self._known: set[bytes] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse one request, or let the application answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        host = origin = site = referer = None
        for name, value in scope["headers"]:
            if name in _LOOKED_AT:
                if name == b"host":
                    host = value
                    if host not in self._known and not self._goes_by(host):
                        await _refuse(send, 421, "Misdirected Request", self._wrong_host(host))
                        return
                elif name == b"origin":
                    origin = value
                elif name == b"referer":
                    referer = value
                else:
                    site = value
        if (
            scope["method"] not in _READS
            and (origin is not None or site is not None or referer is not None)
            and not self._is_ours(host, origin, site, referer)
        ):
            await _refuse(send, 403, "Forbidden", self._foreign())
            return
        await self._app(scope, receive, send)

    def _goes_by(self, host: bytes) -> bool:
        """Tell whether a Host header names this process."""
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match["name"].decode().lower().rstrip(".")
        if name not in self._names and not is_loopback(name) and not _is_address(name):
            return False
        if len(self._known) < _HOSTS_KEPT:
            self._known.add(host)
        return True

    def _is_ours(
        self, host: bytes | None, origin: bytes | None, site: bytes | None, referer: bytes | None
    ) -> bool:
        """Tell whether a request comes from our own page, or one that is listed.

        Browsers that are older than the other two headers send the page's address at least.
        """
        if origin is not None:
            return self._is_our_origin(origin, host)
        if site is not None:
            return site in _OURS
        try:
            page = urlsplit(referer or b"")
        except ValueError:  # no URL at all
            return False
        return self._is_our_origin(page.scheme + b"://" + page.netloc, host)

    def _is_our_origin(self, origin: bytes, host: bytes | None) -> bool:
        origin = origin.lower()
        if origin in self._origins:
            return True
        _, separator, place = origin.partition(b"://")
        # The host was checked, so a page of the same host and port is a page of this process.
        own = _DEFAULT_PORT.sub(b"", host or b"").lower()
        return bool(separator and own) and _DEFAULT_PORT.sub(b"", place) == own

    def _wrong_host(self, host: bytes) -> str:
        named = host[:_NAMED_AT_MOST].decode("ascii", "backslashreplace")
        return (
            f"This service does not go by the name {named!r}."
            f" If it should, its operator adds the name to {self._setting}."
        )

    def _foreign(self) -> str:
        told = "A web page of another origin must not send this."
        if self._origins_setting is None:
            return told
        return f"{told} If it may, the operator adds its origin to {self._origins_setting}."


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


async def _refuse(send: Send, status: int, title: str, detail: str) -> None:
    """Answer with a problem, and close: a body stays unread on this connection."""
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"x-content-type-options", b"nosniff"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": orjson.dumps(problem)})
