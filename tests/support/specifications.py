"""A small specification, a lobby whose answers a test can replace, and a cache in front of it."""

import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from casino_gamespec import Lobby, Specifications
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

SPEC_PATH = "/api/games/kuhn_poker/spec"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(name: str, properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "$schema": DIALECT,
        "$id": f"https://casino.test/kuhn_poker/{name}",
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
        **more,
    }


STATE = schema(
    "state",
    {"public": {"$ref": "#/$defs/Public"}, "private": {"$ref": "#/$defs/Private"}},
    **{
        "$defs": {
            "Public": schema("", {"pot": {"type": "integer", "minimum": 0}}),
            "Private": schema("", {"card": {"enum": ["J", "Q", "K"]}}),
        }
    },
)
for _part in STATE["$defs"].values():
    del _part["$schema"], _part["$id"]
ACTION = schema("action", {"action_type": {"enum": ["PASS", "BET"]}})
RESULT = schema(
    "result",
    {"scores": {"type": "object", "additionalProperties": {"type": "integer"}}},
)

FRONT_MATTER = {
    "gameType": "kuhn_poker",
    "version": '"1.0.0"',
    "name": '"Kuhn poker"',
    "category": "card",
    "gameModel": "turn_based",
    "players": "\n  min: 2\n  max: 2",
    "houseEdge": '"none"',
    "defaultTimeoutAction": "PASS",
    "schemaFormat": "json-schema",
}


def specification(
    *,
    state: Any = STATE,
    action: Any = ACTION,
    result: Any = RESULT,
    rules: str = "Three cards, one each; ante 1; bet 1 or pass.",
    **front_matter: str | None,
) -> str:
    """Return the document of a game; a None leaves a line of the front matter out."""
    lines = {**FRONT_MATTER, **front_matter}
    yaml = "\n".join(f"{key}: {value}" for key, value in lines.items() if value is not None)
    blocks = {"State Schema": state, "Action Schema": action, "Result Schema": result}
    sections = "\n\n".join(
        f"## {title}\n\n```json\n{json.dumps(block, indent=2)}\n```"
        for title, block in blocks.items()
    )
    return f"---\n{yaml}\n---\n\n# Kuhn poker\n\n## Rules\n\n{rules}\n\n{sections}\n"


Handler = Callable[[Request], Awaitable[Response]]


class LobbySide:
    """A lobby over ASGI: `documents` by game type, every request in `asked`.

    `instead` answers in its place, as lobbies do that lie, stall or stand behind a proxy.
    """

    def __init__(self, **documents: str) -> None:
        self.documents = documents
        self.versions: dict[str, str] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.instead: Handler | None = None

    def client(self) -> httpx.AsyncClient:
        """Return a client that reaches this lobby, and nothing else."""
        routes = [
            Route("/api/games", self._answer(self.games)),
            Route("/api/games/{game_type}/spec", self._answer(self._specification)),
        ]
        return httpx.AsyncClient(transport=httpx.ASGITransport(Starlette(routes=routes)))

    def _answer(self, handler: Handler) -> Handler:
        async def answer(request: Request) -> Response:
            self.asked.append((request.url.path, request.headers.get("if-none-match")))
            return await (self.instead or handler)(request)

        return answer

    async def games(self, _request: Request) -> Response:
        """Answer with the list of games."""
        games = [
            {"gameType": name, "specVersion": self.versions.get(name, "1.0.0")}
            for name in self.documents
        ]
        return JSONResponse({"games": games})

    async def _specification(self, request: Request) -> Response:
        text = self.documents.get(request.path_params["game_type"])
        if text is None:
            return JSONResponse(
                {"title": "Not found", "detail": "no such game here", "status": 404},
                404,
                media_type="application/problem+json",
            )
        etag = f'"{hash(text)}"'
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers={"etag": etag})
        return PlainTextResponse(text, headers={"etag": etag}, media_type="text/markdown")


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.now


class Client:
    """A client's cache in front of a lobby."""

    def __init__(self, side: LobbySide, directory: Path | None = None) -> None:
        self.side = side
        self.time = Time()
        self.cache = Specifications(
            Lobby(side.client(), "http://lobby", timeout=timedelta(seconds=5)),
            clock=self.time,
            directory=directory,
            patience=timedelta(seconds=10),
        )

    async def version(self, wanted: str, game_type: str = "kuhn_poker") -> str:
        return str((await self.cache.find(game_type, wanted)).version)

    def fetches(self) -> int:
        """Return how often the document was asked for."""
        return sum(path == SPEC_PATH for path, _ in self.side.asked)
