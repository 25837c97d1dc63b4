"""A lobby of one process that shows the hands of a file on the page, with every card."""

from dataclasses import replace

from casino_agentkit import Service
from prometheus_client import CollectorRegistry
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from casino_lobby.app import build_app
from casino_lobby.replay.file_room import FileRoom
from casino_lobby.settings import LobbySettings
from casino_lobby.store import MemoryStore

_EVERY_EVENT = 100_000_000


def replay_service(url: str, room: FileRoom) -> Service:
    """Return the service with the base URL `url`.

    Everybody who reaches it is its operator: it listens on this machine only, and has nothing but
    the file.
    """
    store = MemoryStore(_EVERY_EVENT)
    settings = LobbySettings.load(
        {
            "CASINO_LOBBY_DATABASE": "memory",
            "CASINO_LOBBY_LAUNCH_TABLES": "false",
            "CASINO_LOBBY_NAME": "A2A Casino",
            "CASINO_LOBBY_COMMANDS_PER_MINUTE": "0",
        }
    )
    service = build_app(settings, url, store=store)

    async def read_config(_request: Request) -> Response:
        return JSONResponse({"name": settings.name, "isOperator": True})

    async def read_record(request: Request) -> Response:
        record = room.records.get(request.path_params["number"])
        if record is None:
            return JSONResponse({"detail": "The file has no such hand."}, 404)
        return Response(record.wire(), media_type="application/json")

    async def start() -> None:
        await service_start()
        await room.add_to(store)

    service_start = service.start
    own = [
        Route("/v1/config", read_config),
        Route("/v1/rooms/{room}/hands/{number:int}/record", read_record),
    ]
    routes = [*own, *service.routes]
    return replace(service, routes=routes, start=start, registry=CollectorRegistry())
