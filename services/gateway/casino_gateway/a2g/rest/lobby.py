"""`/api/games`, `/api/lobby` and `/api/rooms`: thin views over the lobby."""

import math
from collections.abc import Mapping
from typing import Any

from casino_agentkit.server.page_files import conditional_response, entity_tag
from casino_contracts.names import displayed
from starlette.requests import Request
from starlette.responses import Response

from casino_gateway.a2g.codes import A2gRefused, Code
from casino_gateway.a2g.incoming import invalid
from casino_gateway.a2g.rest.request import address_of, body_of, reply, text
from casino_gateway.a2g.seating import JoinOrder
from casino_gateway.a2g.server import A2g
from casino_gateway.domain.identity import PlayerKind
from casino_gateway.domain.login import Login

_ROOM_FIELDS = ("config", "gameType", "gameConfig", "roomId", "tableId")


class LobbyHandlers:
    """Handles games, rooms and seats. All need a token."""

    def __init__(self, a2g: A2g) -> None:
        self._a2g = a2g

    async def games(self, _request: Request, _login: Login) -> Response:
        """List the games that can be played."""
        games = await self._a2g.games.offered()
        return reply({"games": [game.model_dump(mode="json", by_alias=True) for game in games]})

    async def specification(self, request: Request, _login: Login) -> Response:
        """Return a game's specification as the lobby serves it."""
        game_type: str = request.path_params["game_type"]
        specification = await self._a2g.seats.specification(game_type)
        if specification is None:
            raise A2gRefused(Code.GAME_NOT_FOUND, "no such game: GET /api/games lists them")
        content = specification[0].encode()
        headers = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
        return conditional_response(
            request, content, entity_tag(content), media_type="text/markdown", headers=headers
        )

    async def rooms(self, _request: Request, _login: Login) -> Response:
        """List the newest rooms."""
        return reply({"rooms": list(await self._a2g.games.rooms())})

    async def create(self, request: Request, _login: Login) -> Response:
        """Open a room, where this gateway lets its clients do that."""
        if not self._a2g.limits.create_rooms:
            raise A2gRefused(
                Code.NOT_PERMITTED,
                "clients of this gateway may not open rooms (CASINO_GATEWAY_CREATE_ROOMS):"
                " join one of GET /api/lobby",
            )
        body = await body_of(request)
        unknown = sorted(set(body) - set(_ROOM_FIELDS))
        if unknown:
            allowed = ", ".join(_ROOM_FIELDS)
            raise invalid(f"{unknown[0][:64]}: is unknown; allowed are {allowed}")
        room = await self._a2g.seats.create_room(dict(body))
        created = {"id": room.room_id, "tableId": room.room_id, "gameType": room.game_type or ""}
        return reply(created, 201)

    async def join(self, request: Request, login: Login) -> Response:
        """Take a seat; a login that has one in the room gets that again."""
        order = join_order(
            request.path_params["room_id"], await body_of(request), address_of(request)
        )
        seat = await self._a2g.seating.join(login, order)
        identity = seat.identity
        player = seat.match.seats.get(identity.player_id)
        return reply(
            {
                "tableId": identity.room_id,
                "playerId": identity.player_id,
                "seatNumber": identity.seat_number,
                "gameType": identity.game_type,
                "displayName": identity.display_name,
                "chips": player.stack if player else None,
            }
        )

    async def leave(self, request: Request, login: Login) -> Response:
        """Give a seat back: at once between hands, else after the hand."""
        seat = await self._a2g.seating.leave(login, request.path_params["room_id"])
        return reply({"tableId": seat.identity.room_id, "playerId": seat.identity.player_id})


def join_order(room_id: str, body: Mapping[str, Any], address: str) -> JoinOrder:
    """Read the body of a join. Raises A2gRefused with the field and what it must be."""
    seat = body.get("seat", body.get("seatNumber"))
    if seat is not None and not (type(seat) is int and 0 <= seat <= 9):  # noqa: PLR2004
        raise invalid("seat: must be a whole number from 0 to 9")
    name = text(body, "displayName", 256)
    return JoinOrder(
        room_id=room_id,
        buy_in=_buy_in(body.get("buyIn", body.get("buyin"))),
        preferred_seat=seat,
        display_name=displayed(name or "") or None,
        kind=_kind(body.get("playerType", "ai")),
        address=address,
    )


def _buy_in(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None:
        return None
    if not (is_number and isinstance(value, int | float) and math.isfinite(value) and value > 0):
        raise invalid("buyIn: must be a number of chips above 0")
    return value


def _kind(value: object) -> PlayerKind:
    match value:
        case "ai" | "human":
            return value
    raise invalid('playerType: must be "ai" or "human"')
