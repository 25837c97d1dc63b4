"""Middleware of all routes: standby, metrics, and the pages of other origins."""

from collections.abc import Callable

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from casino_lobby.access.operator import Operator
from casino_lobby.rest.metrics_gate import MetricsGate
from casino_lobby.rest.requests import IDEMPOTENCY_KEY
from casino_lobby.rest.standby_gate import StandbyGate
from casino_lobby.settings import LobbySettings


def middleware_of(
    settings: LobbySettings, operator: Operator, standby: Callable[[], str | None]
) -> list[Middleware]:
    """Return the middleware, the outermost first; `standby` says why the lobby is not active."""
    gates = [Middleware(StandbyGate, standby=standby), Middleware(MetricsGate, operator=operator)]
    if not settings.cors_origins:
        return gates
    cors = Middleware(
        CORSMiddleware,
        allow_origins=settings.cors_origins,
        allow_methods=("GET", "POST", "PUT", "DELETE"),
        allow_headers=(
            "Authorization",
            "Content-Type",
            IDEMPOTENCY_KEY,
            "If-Match",
            "Last-Event-ID",
        ),
        expose_headers=("Location", "Retry-After"),
    )
    return [cors, *gates]
