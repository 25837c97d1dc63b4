"""`/api/scorecard…` and `/api/replay`: what sessions have reached."""

from starlette.requests import Request
from starlette.responses import Response

from casino_evaluator.rest import fields
from casino_evaluator.rest.request import body_of, invalid, reply
from casino_evaluator.service.cards import Cards
from casino_evaluator.service.games import Games
from casino_evaluator.service.session_rooms import SessionRooms

_MOST_COMMANDS = 100
_NOT_FOUND = 404


class ScorecardHandlers:
    """Handles scorecards."""

    def __init__(self, cards: Cards, games: Games, rooms: SessionRooms) -> None:
        self._cards = cards
        self._games = games
        self._rooms = rooms

    async def open(self, request: Request, key: str) -> Response:
        """Open a scorecard."""
        body = await body_of(request)
        card_id = await self._cards.open(
            key,
            tags=fields.tags(body),
            source_url=fields.text(body, "source_url", 2_048),
            opaque=fields.free_json(body, "opaque"),
            competition_mode=fields.flag(body, "competition_mode"),
            seed=fields.text(body, "seed"),
        )
        return reply({"card_id": card_id})

    async def close(self, request: Request, key: str) -> Response:
        """Close a scorecard; it stays readable."""
        card_id = fields.text(await body_of(request), "card_id")
        if not card_id:
            raise invalid("card_id: must be the id of a scorecard")
        summary = await self._cards.close(key, card_id)
        await self._rooms.close_card(card_id)
        return reply(summary)

    async def read(self, request: Request, key: str) -> Response:
        """Return a scorecard."""
        return reply(await self._cards.read(key, request.path_params["card_id"]))

    async def read_game(self, request: Request, key: str) -> Response:
        """Return what a scorecard has of one game."""
        game = self._games.find(request.path_params["name"], status=_NOT_FOUND)
        card_id: str = request.path_params["card_id"]
        return reply(await self._cards.read_game(key, card_id, game.game_id))

    async def heartbeat(self, request: Request, key: str) -> Response:
        """Keep a scorecard open."""
        return reply(await self._cards.heartbeat(key, request.path_params["card_id"]))

    async def rescind(self, request: Request, key: str) -> Response:
        """Delete a scorecard and its replays."""
        card_id: str = request.path_params["card_id"]
        await self._cards.rescind(key, card_id)
        await self._rooms.close_card(card_id)
        return Response(status_code=204)

    async def listed(self, _request: Request, key: str) -> Response:
        """List the scorecards of the key."""
        return reply({"scorecards": await self._cards.listed(key)})

    async def replay(self, request: Request, key: str) -> Response:
        """Return recorded commands of a session with their frames."""
        query = request.query_params
        first = fields.number(query.get("first"), "first", 0, 0, 2**31)
        limit = fields.number(query.get("limit"), "limit", _MOST_COMMANDS, 1, _MOST_COMMANDS)
        return reply(await self._cards.replay(key, request.path_params["guid"], first, limit))
