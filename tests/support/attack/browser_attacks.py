"""Requests that a web page of another origin makes a browser send, as bytes.

The headers are those that browsers add by themselves; a page can neither forge nor remove them.
"""

from typing import Any, NamedTuple

import httpx
import orjson
from casino.attack.bindings import BINDINGS
from starlette.types import ASGIApp

from support.table.table_side import CONFIG

EVIL = "https://evil.example"


class Target(NamedTuple):
    """A service on a loopback port, with a page to read and a command to carry out.

    `page` is what can be read of it, `path` and `body` what it can be made to do, with `headers`.
    """

    app: ASGIApp
    page: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    async def answer(self, method: str, path: str, body: bytes, **headers: str) -> httpx.Response:
        """Return what is answered to a request; `_` in a header's name stands for `-`."""
        named = {name.replace("_", "-"): value.encode() for name, value in headers.items()}
        named.setdefault("host", b"127.0.0.1:4000")
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            request = http.build_request(
                method,
                path,
                content=body,
                headers=[(name.encode(), value) for name, value in named.items()],
            )
            return await http.send(request)

    async def reads(self, path: str | None = None, **headers: str) -> bool:
        """Tell whether the service returns its page."""
        return (await self.answer("GET", path or self.page, b"", **headers)).is_success

    async def command(self, **headers: str) -> bool:
        """Tell whether the service carries out its command."""
        body = orjson.dumps(self.body)
        reply = await self.answer("POST", self.path, body, **{**self.headers, **headers})
        return reply.is_success and "error" not in reply.json()


typed_call = BINDINGS[0].body
"""Makes a typed call of an agent, as JSON-RPC, of its skill and its input."""


def lobby(app: ASGIApp, table_card: str) -> Target:
    """Return the lobby, which opens rooms over REST."""
    room = {"roomId": "evil", "config": CONFIG, "tableAgentCardUrl": table_card}
    return Target(app, "/v1/rooms", "/v1/rooms", room, {})


def agent(app: ASGIApp, skill: str, given: dict[str, Any]) -> Target:
    """Return an agent, which answers typed calls."""
    headers = {"content_type": "application/json", "a2a_version": "1.0"}
    card = "/.well-known/agent-card.json"
    return Target(app, card, "/a2a/jsonrpc", typed_call(skill, given), headers)


FORGERIES: dict[str, dict[str, str]] = {
    "a form": {
        "content_type": "application/x-www-form-urlencoded",  # that of curl, too
        "origin": EVIL,
        "sec_fetch_site": "cross-site",
        "sec_fetch_mode": "navigate",
    },
    "a body without a type": {
        "origin": EVIL,
        "sec_fetch_site": "cross-site",
        "sec_fetch_mode": "no-cors",
    },
    "a sandboxed frame": {"origin": "null", "sec_fetch_site": "cross-site"},
    "another port of the same machine": {
        "origin": "http://127.0.0.1:8000",
        "sec_fetch_site": "same-site",
    },
    "a browser that leaves the origin out": {"sec_fetch_site": "cross-site"},
    "a browser that sends the page's address alone": {"referer": f"{EVIL}/page?of=evil"},
    "an origin that begins like ours": {"origin": "http://127.0.0.1:4000.evil.example"},
}
"""Headers of commands that a page can send anywhere, without being allowed to read the answer.

To agents it cannot, as long as they insist on A2A's header: the guard does not rely on that.
"""

REBOUND = (
    "rebound.evil.example:4000",
    "rebound.evil.example",
    "127.0.0.1.evil.example:4000",
    "localhost.evil.example",
    "evil.example.:4000",
    "LOCALHOST.EVIL.EXAMPLE:4000",
)
"""Names of the attacker's own, which now lead to the victim's loopback: the browser takes its page
to be the service's."""
