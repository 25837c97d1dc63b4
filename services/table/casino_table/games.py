"""The games of a table process, for its agent card and its HTTP routes."""

from functools import cache
from typing import Any

import structlog
from casino_games import GameError, game_types
from casino_games.hosting.made_specification import document_of, specification_of
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from casino_table.time_limit import REHEARSAL_LIMIT, TimeLimit

_PATH = "/games/{game_type}/spec"

logger = structlog.get_logger(__name__)


def offered_games() -> list[dict[str, Any]]:
    """Return a summary of each game, with the path of its specification on this server.

    A third-party package that cannot be loaded is skipped with a log message.
    """
    games = []
    for game_type in game_types():
        try:
            games.append(
                {
                    **specification_of(game_type, TimeLimit(total=REHEARSAL_LIMIT)).front_matter(),
                    "specification": _PATH.format(game_type=game_type),
                }
            )
        except GameError as error:
            logger.warning("game_left_out", game=game_type, error=str(error))
    return games


def document(game_type: str) -> str:
    """Return a game's specification as Markdown; raises GameError."""
    return document_of(game_type, TimeLimit(total=REHEARSAL_LIMIT))


def spec_routes() -> list[Route]:
    """Return the route that serves the specifications."""
    cached_document = cache(document)

    async def serve(request: Request) -> Response:
        try:
            content = cached_document(request.path_params["game_type"])
        except GameError as error:
            return JSONResponse({"detail": str(error)}, status_code=404)
        return Response(content, media_type="text/markdown")

    return [Route(_PATH, serve, methods=["GET"])]
