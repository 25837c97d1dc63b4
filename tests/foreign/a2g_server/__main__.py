"""An A2G server written from the protocol's documents alone; it imports nothing of the casino.

`--token T [--mischief …]`: it writes its URL and serves until it is ended.
`GET /stats` says what it saw.
"""

import argparse
import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable

import uvicorn
from foreign.a2g_server.lantern_duel import LanternDuel
from foreign.a2g_server.server import GAME, TABLE, Server
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute

ROOM = "room-1"
Endpoint = Callable[[Request], Awaitable[Response]]


class Rest:
    """The REST part of a server."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def routes(self) -> list[Route]:
        """Return its routes."""
        return [
            Route("/api/games", self.of_players(self.games)),
            Route("/api/games/{game}/spec", self.of_players(self.spec)),
            Route("/api/lobby", self.of_players(self.lobby)),
            Route("/api/rooms/{room}/join", self.of_players(self.join), methods=["POST"]),
            Route("/api/rooms/{room}/leave", self.of_players(self.leave), methods=["POST"]),
            Route("/stats", self.show_stats),
        ]

    def of_players(
        self, answer: Callable[[], Response]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers requests that have the token, and refuses the others."""

        async def guarded(request: Request) -> Response:
            if request.headers.get("authorization") == f"Bearer {self.server.token}":
                return answer()
            refusal = {"code": "AUTH_INVALID", "message": "a valid token is needed"}
            return JSONResponse(refusal, 401)

        return guarded

    def games(self) -> Response:
        """List the game."""
        self.server.stats["lists"] += 1
        entry = {
            "gameType": GAME,
            "name": "Lantern duel",
            "category": "dice",
            "gameModel": "turn_based",
            "players": {"min": 1, "max": 1},
            "specVersion": self.server.game.version,
            "schemaFormat": "json-schema",
        }
        return JSONResponse({"games": [entry]})

    def spec(self) -> Response:
        """Serve the specification."""
        self.server.stats["specs"] += 1
        return PlainTextResponse(self.server.game.document(), media_type="text/markdown")

    def lobby(self) -> Response:
        """List the room."""
        room = {
            "id": ROOM,
            "gameType": GAME,
            "playerCount": 0,
            "maxPlayers": 1,
            "minBuyin": 100,
            "maxBuyin": 1000,
            "gameStatus": "waiting",
            "createdAt": 0,
            "players": [],
        }
        return JSONResponse({"rooms": [room]})

    def join(self) -> Response:
        """Seat the player."""
        self.server.stats["joins"] += 1
        return JSONResponse({"tableId": TABLE, "playerId": "p1"})

    def leave(self) -> Response:
        """Give the seat back."""
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
    parser = argparse.ArgumentParser()
    parser.add_argument("--token", required=True)
    parser.add_argument("--mischief", default="")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    server = Server(options.token, LanternDuel(7), options.mischief, options.seconds)
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
