"""The attacker's own HTTP server, which records the requests it receives."""

import secrets
from collections.abc import Callable
from typing import Any

import orjson

from casino.attack.bindings import EXTENSION
from casino.attack.listener import Listener, Request, Response

CARD_PATH = "/.well-known/agent-card.json"


class Canary:
    """Serves pages by path and an agent card at every card path; `visits` are all requests.

    `heard` is called with the header and the body of each request.
    """

    def __init__(
        self, host: str = "127.0.0.1", heard: Callable[[bytes], None] = lambda _bytes: None
    ) -> None:
        self.visits: list[Request] = []
        self.pages: dict[str, Response] = {}
        self.card: dict[str, Any] = {}
        self.word = f"canary-{secrets.token_hex(8)}"
        """A random word that occurs only on this server's pages."""
        self._heard = heard
        self._listener = Listener(host, self._answer)

    async def start(self) -> None:
        """Start listening; the card advertises skills of all roles."""
        await self._listener.start()
        self.card = agent_card(self.url, "Canary", ("signup", "act", "configureTable"))

    @property
    def url(self) -> str:
        """Base URL of the server."""
        return self._listener.url

    @property
    def card_url(self) -> str:
        """URL of its agent card."""
        return self.url + CARD_PATH

    def visited(self, path: str = "") -> int:
        """Return the number of requests whose path starts with `path`."""
        return sum(visit.path.startswith(path) for visit in self.visits)

    @staticmethod
    def page(content: bytes) -> Response:
        """Return a Markdown page."""
        return Response(body=content, content_type="text/markdown")

    async def stop(self) -> None:
        """Stop listening."""
        await self._listener.stop()

    async def _answer(self, request: Request) -> Response:
        self.visits.append(request)
        self._heard(str(request.headers).encode())
        self._heard(request.body)
        if request.path in self.pages:
            return self.pages[request.path]
        if request.path.endswith(CARD_PATH):
            return Response(body=orjson.dumps(self.card))
        return Response(404, b'{"error":"not here"}')


def agent_card(
    base: str, name: str, skills: tuple[str, ...], params: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return an agent card with the base URL `base`; `params` are of the casino's extension."""
    return {
        "name": name,
        "description": "Bait.",
        "version": "1",
        "supportedInterfaces": [
            {"url": base + "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"extensions": [{"uri": EXTENSION, "params": params or {}}]},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [
            {"id": skill, "name": skill, "description": skill, "tags": [skill]} for skill in skills
        ],
    }
