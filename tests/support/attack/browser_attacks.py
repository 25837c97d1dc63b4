"""Requests that a web page of another origin makes a browser send, as bytes.

Each attack returns whether the service carried it out. The headers are those that browsers add by
themselves; a page can neither forge nor remove them.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import httpx
import orjson
from casino_agentkit import EXTENSION
from starlette.types import ASGIApp

from support.table.table_side import CONFIG

EVIL = "https://evil.example"
REBOUND = "rebound.evil.example"
"""A name of the attacker's own, which now leads to the victim's loopback."""


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


Attack = Callable[[Target], Awaitable[bool]]


def typed_call(skill: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return a typed call of an agent, as JSON-RPC."""
    message = {
        "messageId": "m1",
        "role": "ROLE_USER",
        "extensions": [EXTENSION],
        "metadata": {EXTENSION: {"skill": skill}},
        "parts": [{"data": given, "mediaType": "application/json"}],
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}


def lobby(app: ASGIApp, table_card: str) -> Target:
    """Return the lobby, which opens rooms over REST."""
    room = {"roomId": "evil", "config": CONFIG, "tableAgentCardUrl": table_card}
    return Target(app, "/v1/rooms", "/v1/rooms", room, {})


def agent(app: ASGIApp, skill: str, given: dict[str, Any]) -> Target:
    """Return an agent, which answers typed calls."""
    headers = {"content_type": "application/json", "a2a_version": "1.0"}
    card = "/.well-known/agent-card.json"
    return Target(app, card, "/a2a/jsonrpc", typed_call(skill, given), headers)


# Requests that a page can send anywhere, without being allowed to read the answer. (To agents it
# cannot, as long as they insist on A2A's header: the guard does not rely on that.)


async def form(target: Target) -> bool:
    """Submit a form: the media type that curl uses, too."""
    return await target.command(
        content_type="application/x-www-form-urlencoded",
        origin=EVIL,
        sec_fetch_site="cross-site",
        sec_fetch_mode="navigate",
    )


async def fetch_without_type(target: Target) -> bool:
    """Use fetch in the mode no-cors, with a body that has no type."""
    return await target.command(origin=EVIL, sec_fetch_site="cross-site", sec_fetch_mode="no-cors")


async def sandboxed_page(target: Target) -> bool:
    """Send from a sandboxed frame, whose origin is `null`."""
    return await target.command(origin="null", sec_fetch_site="cross-site")


async def neighbour(target: Target) -> bool:
    """Send from another port of the same machine, which is the same site."""
    return await target.command(origin="http://127.0.0.1:8000", sec_fetch_site="same-site")


async def browser_without_origin(target: Target) -> bool:
    """Send from a browser that leaves the origin out, as some do for forms."""
    return await target.command(sec_fetch_site="cross-site")


async def old_browser(target: Target) -> bool:
    """Send from a browser that has neither header, but sends the page's address."""
    return await target.command(referer=f"{EVIL}/page?of=evil")


async def lookalike(target: Target) -> bool:
    """Send from a page whose origin begins like ours."""
    return await target.command(origin="http://127.0.0.1:4000.evil.example")


FORGERIES: tuple[Attack, ...] = (
    form,
    fetch_without_type,
    sandboxed_page,
    neighbour,
    browser_without_origin,
    old_browser,
    lookalike,
)

# A page of the attacker's own name, which the browser takes to be the service's.


def rebinding(host: str) -> tuple[Attack, Attack]:
    """Return the attacks of a page at `host`: to read, and to command."""

    async def read(target: Target) -> bool:
        return await target.reads(host=host, sec_fetch_site="same-origin")

    async def command(target: Target) -> bool:
        return await target.command(
            host=host, origin=f"http://{host}", sec_fetch_site="same-origin"
        )

    read.__name__, command.__name__ = f"read_{host}", f"command_{host}"
    return read, command


REBINDINGS: tuple[Attack, ...] = tuple(
    attack
    for host in (
        f"{REBOUND}:4000",
        REBOUND,
        "127.0.0.1.evil.example:4000",
        "localhost.evil.example",
        "evil.example.:4000",
        "LOCALHOST.EVIL.EXAMPLE:4000",
    )
    for attack in rebinding(host)
)
