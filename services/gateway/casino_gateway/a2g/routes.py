"""Routes of A2G: REST below `/api`, and the socket."""

from starlette.routing import BaseRoute, Route, WebSocketRoute

from casino_gateway.a2g.rest.auth import AuthHandlers
from casino_gateway.a2g.rest.lobby import LobbyHandlers
from casino_gateway.a2g.rest.request import OfLogin, of_login, public
from casino_gateway.a2g.rest.wallet import WalletHandlers
from casino_gateway.a2g.server import A2g
from casino_gateway.a2g.websocket import SocketEndpoint


def a2g_routes(a2g: A2g) -> list[BaseRoute]:
    """Return the routes of A2G."""
    auth, lobby, wallet = AuthHandlers(a2g), LobbyHandlers(a2g), WalletHandlers(a2g.wallet)
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
