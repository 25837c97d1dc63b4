"""REST API of evaluation sessions, that of ARC-AGI-3, and the page of scorecards and replays.

The API is at the root of the origin: its clients know no path prefix. The page is static files that
call the API. It needs no build step and no other host; the content security policy enforces it. The
API key is sent by the page's requests alone, as `X-API-Key`.
"""

from dataclasses import fields
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from casino_agentkit.server.page_files import file_routes
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from casino_evaluator import evaluation_requests
from casino_evaluator.domain.evaluation_session import CLICK, RESET, SessionCommand
from casino_evaluator.domain.levels import ExaminedGame, ExaminedGames
from casino_evaluator.errors import ErrorName, RequestRefused
from casino_evaluator.evaluation_requests import Access, OfKey, body_of, invalid, public, reply
from casino_evaluator.service.api_keys import Keys
from casino_evaluator.service.level_play import FrameReply
from casino_evaluator.service.open_scorecards import Opening
from casino_evaluator.service.scorecards import Cards
from casino_evaluator.service.session_rooms import SessionRooms
from casino_evaluator.service.sessions import Sessions

Json = dict[str, Any]

_NOT_FOUND: Final = 404
_FRAMES_PER_S: Final = 5
"""At which clients and the page show frames."""
_MOST_COMMANDS: Final = 100
WEB = Path(__file__).parent / "web"
_ACTIONS = range(1, 8)


class ExaminedGameHandlers:
    """Handles games."""

    def __init__(self, games: ExaminedGames, keys: Keys) -> None:
        self._games = games
        self._keys = keys

    async def listed(self, _request: Request, _key: str) -> Response:
        return reply([_shown(game) for game in self._games.all])

    async def by_name(self, request: Request, _key: str) -> Response:
        """Return a game by its id or the four letters in front of it."""
        name: str = request.path_params["name"]
        return reply(_shown(self._games.find(name, status=_NOT_FOUND)))

    async def anonymous_key(self, request: Request) -> Response:
        address = request.client.host if request.client else ""
        return reply({"api_key": await self._keys.anonymous(address)})


def _shown(game: ExaminedGame) -> Json:
    return {
        "game_id": game.game_id,
        "title": game.title,
        "tags": list(game.tags),
        "default_fps": _FRAMES_PER_S,
        "baseline_actions": [level.baseline_actions for level in game.levels],
        "game_type": game.game_type,
        "win_levels": game.win_score,
        "levels": [
            {"opponent": level.opponent, "hands": level.hands, "target": level.target}
            for level in game.levels
        ],
    }


class CommandHandlers:
    """Handles commands of sessions."""

    def __init__(self, sessions: Sessions, rooms: SessionRooms) -> None:
        self._sessions = sessions
        self._rooms = rooms

    async def reset(self, request: Request, key: str) -> Response:
        """Begin a session, or reset its level or the whole game."""
        body = await body_of(request)
        game_id, guid = evaluation_requests.game_id(body), evaluation_requests.text(body, "guid")
        card_id = evaluation_requests.text(body, "card_id") or None
        command = SessionCommand(RESET, reasoning=evaluation_requests.free_json(body, "reasoning"))
        if guid:
            answer = await self._sessions.reset(key, game_id, guid, card_id, command)
        elif card_id is None:
            raise RequestRefused(
                ErrorName.SERVER_ERROR,
                f"game {game_id} not found: card_id is missing, POST /api/scorecard/open returns"
                " one",
            )
        else:
            answer = await self._sessions.begin(key, game_id, card_id, command)
        return self._answered(answer)

    def action(self, number: int) -> OfKey:
        async def act(request: Request, key: str) -> Response:
            body = await body_of(request)
            game_id, guid = (
                evaluation_requests.game_id(body),
                evaluation_requests.text(body, "guid"),
            )
            x = y = None
            if number == CLICK:
                x, y = (
                    evaluation_requests.coordinate(body, "x"),
                    evaluation_requests.coordinate(body, "y"),
                )
            command = SessionCommand(number, x, y, evaluation_requests.free_json(body, "reasoning"))
            if not guid:
                raise RequestRefused(
                    ErrorName.SERVER_ERROR,
                    f"game {game_id} not found: guid is missing, RESET returns it",
                )
            return self._answered(await self._sessions.act(key, game_id, guid, command))

        return act

    async def observation(self, request: Request, key: str) -> Response:
        """Return the newest moment as JSON; it changes nothing."""
        guid: str = request.path_params["guid"]
        observed = await self._sessions.observe(key, guid)
        return reply({**observed, **self._rooms.waits_of(guid)})

    def _answered(self, answer: FrameReply) -> Response:
        return reply({**frame_response(answer), **self._rooms.waits_of(answer.guid)})


def frame_response(answer: FrameReply) -> Json:
    """Return an answer with the names of both generations of clients."""
    return {
        "game_id": answer.game_id,
        "guid": answer.guid,
        "frame": answer.frames,
        "state": answer.state,
        "score": answer.score,
        "win_score": answer.win_score,
        "levels_completed": answer.score,
        "win_levels": answer.win_score,
        "action_input": answer.command.as_input(answer.game_id),
        "available_actions": answer.available_actions,
        "full_reset": answer.full_reset,
    }


class ScorecardHandlers:
    """Handles scorecards."""

    def __init__(self, cards: Cards, games: ExaminedGames, rooms: SessionRooms) -> None:
        self._cards = cards
        self._games = games
        self._rooms = rooms

    async def open(self, request: Request, key: str) -> Response:
        body = await body_of(request)
        details = {each.name: body.get(each.name) for each in fields(Opening)}
        card_id = await self._cards.open(key, **details)
        return reply({"card_id": card_id})

    async def close(self, request: Request, key: str) -> Response:
        card_id = evaluation_requests.text(await body_of(request), "card_id")
        if not card_id:
            raise invalid("card_id: must be the id of a scorecard")
        summary = await self._cards.close(key, card_id)
        await self._rooms.close_card(card_id)
        return reply(summary)

    async def read(self, request: Request, key: str) -> Response:
        card_id: str = request.path_params["card_id"]
        card = await self._cards.read(key, card_id)
        return reply({**card, **self._rooms.waits_of_card(card_id)})

    async def read_game(self, request: Request, key: str) -> Response:
        game = self._games.find(request.path_params["name"], status=_NOT_FOUND)
        card_id: str = request.path_params["card_id"]
        return reply(await self._cards.read_game(key, card_id, game.game_id))

    async def heartbeat(self, request: Request, key: str) -> Response:
        return reply(await self._cards.heartbeat(key, request.path_params["card_id"]))

    async def rescind(self, request: Request, key: str) -> Response:
        card_id: str = request.path_params["card_id"]
        await self._cards.rescind(key, card_id)
        await self._rooms.close_card(card_id)
        return Response(status_code=204)

    async def listed(self, _request: Request, key: str) -> Response:
        return reply({"scorecards": await self._cards.listed(key)})

    async def replay(self, request: Request, key: str) -> Response:
        query = request.query_params
        first = evaluation_requests.number(query.get("first"), "first", 0, 0, 2**31)
        limit = evaluation_requests.number(
            query.get("limit"), "limit", _MOST_COMMANDS, 1, _MOST_COMMANDS
        )
        return reply(await self._cards.replay(key, request.path_params["guid"], first, limit))


def page_routes() -> list[BaseRoute]:
    """Return the routes of the page: `/`, its files below `/page/`, and `/scorecards/{card_id}`."""
    return [*file_routes(WEB), Route("/scorecards/{card_id}", _card, methods=["GET"])]


async def _card(request: Request) -> RedirectResponse:
    """Lead to a card on the page: this is the address that the official clients print."""
    return RedirectResponse(f"/#/cards/{quote(request.path_params['card_id'], safe='')}")


def rest_routes(
    access: Access, games: ExaminedGameHandlers, commands: CommandHandlers, cards: ScorecardHandlers
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
