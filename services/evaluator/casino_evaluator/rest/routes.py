"""Routes of the ARC-AGI-3 API, at the root of the origin: its clients know no path prefix."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from casino_evaluator.rest.commands import CommandHandlers
from casino_evaluator.rest.games import GameHandlers
from casino_evaluator.rest.request import Access, OfKey, public
from casino_evaluator.rest.scorecards import ScorecardHandlers

_ACTIONS = range(1, 8)


def rest_routes(
    access: Access, games: GameHandlers, commands: CommandHandlers, cards: ScorecardHandlers
) -> list[BaseRoute]:
    """Return the routes. All but the anonymous key and the health check need an API key."""
    of_key: list[tuple[str, str, OfKey]] = [
        ("GET", "/api/games", games.listed),
        ("GET", "/api/games/{name}", games.by_name),
        ("POST", "/api/cmd/RESET", commands.reset),
        *(("POST", f"/api/cmd/ACTION{number}", commands.action(number)) for number in _ACTIONS),
        ("GET", "/api/cmd/{guid}/observation", commands.observation),
        ("POST", "/api/scorecard/open", cards.open),
        ("POST", "/api/scorecard/close", cards.close),
        ("GET", "/api/scorecard/{card_id}", cards.read),
        ("DELETE", "/api/scorecard/{card_id}", cards.rescind),
        ("GET", "/api/scorecard/{card_id}/{name}", cards.read_game),
        ("POST", "/api/scorecard/{card_id}/heartbeat", cards.heartbeat),
        ("GET", "/api/scorecards", cards.listed),
        ("GET", "/api/replay/{guid}", cards.replay),
    ]
    return [
        Route("/api/healthcheck", _healthy, methods=["GET"]),
        Route("/api/games/anonkey", public(games.anonymous_key), methods=["GET"]),
        *(
            Route(path, access.of_key(handler), methods=[method])
            for method, path, handler in of_key
        ),
    ]


async def _healthy(_request: Request) -> Response:
    return PlainTextResponse("okay")
