"""An A2G server written from the protocol's documents alone; it imports nothing of the casino.

`--token T --game lantern-duel [--mischief …]`: it writes its URL and serves until it is ended.
`GET /stats` says what it saw.
"""

import argparse
import asyncio
import socket
import sys

import uvicorn
from foreign.a2g_server.dice_games import LanternDuel, SixWheel
from foreign.a2g_server.server import TABLE, Server
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute

ROOM = "room-1"


class Rest:
    """The REST part of a server."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def routes(self) -> list[Route]:
        """Return its routes."""
        return [
            Route("/api/games", self.games),
            Route("/api/games/{game}/spec", self.spec),
            Route("/api/lobby", self.lobby),
            Route("/api/rooms/{room}/join", self.join, methods=["POST"]),
            Route("/api/rooms/{room}/leave", self.leave, methods=["POST"]),
            Route("/stats", self.show_stats),
        ]

    def may(self, request: Request) -> bool:
        """Return whether the request has the token."""
        return request.headers.get("authorization") == f"Bearer {self.server.token}"

    def refusal(self) -> Response:
        """Answer a request without a login."""
        return JSONResponse({"code": "AUTH_INVALID", "message": "a valid token is needed"}, 401)

    async def games(self, request: Request) -> Response:
        """List the game."""
        if not self.may(request):
            return self.refusal()
        self.server.stats["lists"] += 1
        entry = {
            "gameType": self.server.game.game_type,
            "name": self.server.game.game_type.title(),
            "category": self.server.game.category,
            "gameModel": self.server.game.model,
            "players": {"min": 1, "max": 1},
            "specVersion": self.server.game.version,
            "schemaFormat": "json-schema",
        }
        return JSONResponse({"games": [entry]})

    async def spec(self, request: Request) -> Response:
        """Serve the specification."""
        if not self.may(request):
            return self.refusal()
        self.server.stats["specs"] += 1
        return PlainTextResponse(self.server.game.document(), media_type="text/markdown")

    async def lobby(self, request: Request) -> Response:
        """List the room."""
        if not self.may(request):
            return self.refusal()
        room = {
            "id": ROOM,
            "gameType": self.server.game.game_type,
            "playerCount": 0,
            "maxPlayers": 1,
            "minBuyin": 100,
            "maxBuyin": 1000,
            "gameStatus": "waiting",
            "createdAt": 0,
            "players": [],
        }
        return JSONResponse({"rooms": [room]})

    async def join(self, request: Request) -> Response:
        """Seat the player."""
        if not self.may(request):
            return self.refusal()
        self.server.stats["joins"] += 1
        return JSONResponse({"tableId": TABLE, "playerId": "p1"})

    async def leave(self, request: Request) -> Response:
        """Give the seat back."""
        if not self.may(request):
            return self.refusal()
        self.server.stats["leaves"] += 1
        if self.server.playing is not None:
            self.server.playing.cancel()
        return JSONResponse({})

    async def show_stats(self, _request: Request) -> Response:
        """Say what was seen, and whether chips are conserved."""
        conserved = sum(self.server.game.chips.values()) == self.server.total
        return JSONResponse({**self.server.stats, "conserved": conserved})


def main() -> None:
    """Serve until ended."""
    kinds: dict[str, type[LanternDuel | SixWheel]] = {
        kind.game_type: kind for kind in (LanternDuel, SixWheel)
    }
    parser = argparse.ArgumentParser()
    parser.add_argument("--token", required=True)
    parser.add_argument("--game", choices=kinds, required=True)
    parser.add_argument("--mischief", default="")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    game = kinds[options.game](7)
    server = Server(options.token, game, options.mischief, options.seconds)
    app = Starlette(routes=[*Rest(server).routes(), WebSocketRoute("/ws", server.serve)])
    # With the protocol named, asyncio sends small frames at once.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()  # before the URL is written: a client may come at once
    sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    config = uvicorn.Config(app, log_level="warning", ws="websockets-sansio")
    asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))


if __name__ == "__main__":
    main()
