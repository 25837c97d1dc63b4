"""REST of A2G below `/api`: sign-in, games and rooms, seats, the wallet; and all its routes."""

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from casino_agentkit.network import network_of
from casino_agentkit.server.page_files import conditional_response, entity_tag
from casino_contracts.base import displayed
from casino_lobby_client.errors import CallFailed
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from casino_gateway.a2g.a2g_codes import A2gCode, A2gRefused, milliseconds, refusal_of
from casino_gateway.a2g.a2g_frames import invalid, read_object
from casino_gateway.a2g.a2g_gateway import A2g, SocketEndpoint
from casino_gateway.a2g.a2g_lobby import JoinOrder
from casino_gateway.a2g.a2g_wallet import CONFIG, Period, Wallet
from casino_gateway.a2g.authentication import Authentication, Issued
from casino_gateway.domain.login import Login, Permissions
from casino_gateway.domain.updates import PlayerKind

logger = structlog.get_logger(__name__)

Handler = Callable[[Request], Awaitable[Response]]
OfLogin = Callable[[Request, Login], Awaitable[Response]]

_PRIVATE = {"Cache-Control": "no-store"}
_ROOM_FIELDS = ("config", "gameType", "gameConfig", "roomId", "tableId")


def public(handler: Handler) -> Handler:
    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except CallFailed as error:
            refused = refusal_of(error)
            if not isinstance(error, A2gRefused):
                logger.info("a2g_request_refused", path=request.url.path, reason=str(error))
            return refusal(refused)

    return handle


def of_login(authentication: Authentication, handler: OfLogin) -> Handler:
    async def handle(request: Request) -> Response:
        return await handler(request, await authentication.by_token(_bearer(request)))

    return public(handle)


def reply(content: Mapping[str, Any], status: int = 200) -> JSONResponse:
    """Return a reply that no cache may store."""
    return JSONResponse(content, status, _PRIVATE)


def refusal(refused: A2gRefused) -> JSONResponse:
    headers = dict(_PRIVATE)
    if refused.status == 401:  # noqa: PLR2004  RFC 9110
        headers["WWW-Authenticate"] = "Bearer"
    if refused.code is A2gCode.RATE_LIMITED:
        headers["Retry-After"] = "60"
    return JSONResponse({"code": refused.code, "message": refused.message}, refused.status, headers)


async def body_of(request: Request) -> Mapping[str, Any]:
    """Return the body's JSON object, {} if there is no body. Raises A2gRefused."""
    content = await request.body()
    return read_object(content, "the body") if content else {}


def text(fields: Mapping[str, Any], name: str, limit: int = 128) -> str | None:
    """Return a text of a body, None if it is absent. Raises A2gRefused."""
    value = fields.get(name)
    if value is not None and not (isinstance(value, str) and len(value) <= limit):
        raise invalid(f"{name}: must be a text of at most {limit} characters")
    return value


def address_of(request: Request) -> str:
    return request.client.host if request.client else ""


def network(request: Request) -> str:
    """Return the network of the client's address, by which limits are counted."""
    return network_of(address_of(request))


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise A2gRefused(
            A2gCode.AUTH_REQUIRED,
            "send Authorization: Bearer TOKEN; POST /api/auth/guest returns a token",
        )
    return token.strip()


class AuthHandlers:
    """Handles sign-in. None but the links needs a token."""

    def __init__(self, a2g: A2g) -> None:
        self._a2g = a2g
        self._authentication = a2g.authentication

    async def guest(self, request: Request) -> Response:
        self._count(request)
        name = text(await body_of(request), "displayName", 256)
        return reply(_issued(await self._authentication.guest(name)))

    async def challenge(self, request: Request) -> Response:
        self._count(request)
        challenge = self._authentication.challenge(request.query_params.get("address"))
        return reply({"message": challenge.message, "nonce": challenge.nonce})

    async def verify(self, request: Request) -> Response:
        self._count(request)
        body = await body_of(request)
        nonce = text(body, "nonce") or ""
        issued = await self._authentication.verify(
            body.get("address"), body.get("signature"), nonce
        )
        return reply({**_issued(issued), "walletAddress": issued.login.wallet_address})

    async def link(self, request: Request, login: Login) -> Response:
        body = await body_of(request)
        written = body.get("permissions", {})
        if not isinstance(written, dict):
            raise invalid("permissions: must be an object")
        try:
            permissions = Permissions.of(written)
        except ValueError as error:
            raise invalid(str(error)) from error
        self._count(request)
        wallet, nonce = body.get("walletAddress"), text(body, "nonce")
        if nonce is None:
            raise invalid(
                "nonce, signature: are missing; the wallet signs the message of"
                " GET /api/auth/challenge?address=0x…"
            )
        link_id = await self._authentication.link(
            login, wallet, body.get("signature"), nonce, permissions
        )
        return reply({"linkId": link_id, "permissions": permissions.as_json()}, 201)

    async def links(self, _request: Request, login: Login) -> Response:
        return reply({"links": await self._authentication.links(login)})

    async def unlink(self, request: Request, login: Login) -> Response:
        link_id: str = request.path_params["link_id"]
        await self._authentication.unlink(login, link_id)
        return Response(status_code=204)

    def _count(self, request: Request) -> None:
        if not self._a2g.sign_ins.take(network(request)):
            raise A2gRefused(
                A2gCode.RATE_LIMITED,
                f"this address may sign in {self._a2g.limits.logins_per_address} times a minute",
            )


def _issued(issued: Issued) -> dict[str, object]:
    return {
        "token": issued.token,
        "expiresAt": milliseconds(issued.login.expires_at),
        "sessionId": issued.session_id,
        "displayName": issued.login.display_name,
    }


class A2gLobbyHandlers:
    """Handles games, rooms and seats. All need a token."""

    def __init__(self, a2g: A2g) -> None:
        self._a2g = a2g

    async def games(self, _request: Request, _login: Login) -> Response:
        games = await self._a2g.games.offered()
        return reply({"games": [game.model_dump(mode="json", by_alias=True) for game in games]})

    async def specification(self, request: Request, _login: Login) -> Response:
        """Return a game's specification as the lobby serves it."""
        game_type: str = request.path_params["game_type"]
        specification = await self._a2g.seats.specification(game_type)
        if specification is None:
            raise A2gRefused(A2gCode.GAME_NOT_FOUND, "no such game: GET /api/games lists them")
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
                A2gCode.NOT_PERMITTED,
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


class WalletHandlers:
    """Handles the wallet. All need a token."""

    def __init__(self, wallet: Wallet) -> None:
        self._wallet = wallet

    async def config(self, _request: Request, _login: Login) -> Response:
        return reply(CONFIG)

    async def transactions(self, request: Request, login: Login) -> Response:
        """Return the login's bookings, newest first."""
        period = Period(dict(request.query_params))
        return reply(await self._wallet.transactions(login, period))

    async def withdraw(self, _request: Request, _login: Login) -> Response:
        """Refuse: play chips are worth nothing."""
        raise A2gRefused(
            A2gCode.NOT_SUPPORTED,
            "this casino plays for play chips, which have no value and cannot be withdrawn",
            403,
        )


def a2g_routes(a2g: A2g) -> list[BaseRoute]:
    auth, lobby, wallet = AuthHandlers(a2g), A2gLobbyHandlers(a2g), WalletHandlers(a2g.wallet)
    socket = SocketEndpoint(a2g.conversation, a2g.games, a2g.limits.authentication)
    of_bearer: list[tuple[str, str, OfLogin]] = [
        ("POST", "/api/auth/link-account", auth.link),
        ("GET", "/api/auth/link-account", auth.links),
        ("DELETE", "/api/auth/link-account/{link_id}", auth.unlink),
        ("GET", "/api/games", lobby.games),
        ("GET", "/api/games/{game_type}/spec", lobby.specification),
        ("GET", "/api/lobby", lobby.rooms),
        ("POST", "/api/rooms", lobby.create),
        ("POST", "/api/rooms/{room_id}/join", lobby.join),
        ("POST", "/api/rooms/{room_id}/leave", lobby.leave),
        ("GET", "/api/wallet/config", wallet.config),
        ("GET", "/api/wallet/transactions", wallet.transactions),
        ("POST", "/api/wallet/withdraw", wallet.withdraw),
    ]
    return [
        Route("/api/auth/guest", public(auth.guest), methods=["POST"]),
        Route("/api/auth/challenge", public(auth.challenge), methods=["GET"]),
        Route("/api/auth/verify", public(auth.verify), methods=["POST"]),
        *(
            Route(path, of_login(a2g.authentication, handler), methods=[method])
            for method, path, handler in of_bearer
        ),
        WebSocketRoute("/ws", socket.serve),
    ]
