"""Middleware of all routes: standby, metrics, and the pages of other origins."""

from collections.abc import Callable
from typing import Final

from casino_agentkit.call_metrics import METRICS_PATH
from casino_agentkit.card_signing import JWKS_PATH
from casino_agentkit.protocol import (
    CARD_PATH,
    ENTRYPOINTS_PATH,
    OLDER_CARD_PATH,
    REST_PATH,
    RPC_PATH,
)
from casino_agentkit.server.service_app import HEALTH_PATH, READY_PATH
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from casino_lobby.access.lobby_rules import standby_refusal
from casino_lobby.access.operator import Operator, bearer_token
from casino_lobby.errors import NotAdmitted
from casino_lobby.problem import Problem
from casino_lobby.problem_types import ProblemType
from casino_lobby.rest.request_reading import IDEMPOTENCY_KEY
from casino_lobby.settings import LobbySettings

_ANSWERED: Final = frozenset(
    {HEALTH_PATH, READY_PATH, METRICS_PATH, CARD_PATH, OLDER_CARD_PATH, JWKS_PATH}
)
"""Requests about the process; none reads rooms, but the metrics, which are those of a process."""

_REFUSED_BY_RULES: Final = (RPC_PATH, REST_PATH, ENTRYPOINTS_PATH)
"""A2A calls: `OnlyWhileActive` refuses them, in the words of their binding."""


class StandbyGate:
    """ASGI middleware; `standby` returns why the lobby is not active, None while it is."""

    def __init__(self, app: ASGIApp, standby: Callable[[], str | None]) -> None:
        self._app = app
        self._standby = standby

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _is_answered(scope["path"]):
            refusal = standby_refusal(self._standby)
            if refusal is not None:
                problem = Problem.of(refusal, {ProblemType.STANDBY})
                await problem.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)


class ClosingInStandby:
    """ASGI middleware that has each response close its connection while the lobby is not active.

    Otherwise a client whose connections go through an address that lobbies share would stay with
    this one for as long as it answers.
    """

    def __init__(self, app: ASGIApp, standby: Callable[[], str | None]) -> None:
        self._app = app
        self._standby = standby

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._standby() is None:
            await self._app(scope, receive, send)
            return

        async def closing(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), (b"connection", b"close")]
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, closing)


def _is_answered(path: str) -> bool:
    return path in _ANSWERED or path.startswith(_REFUSED_BY_RULES)


class MetricsGate:
    """ASGI middleware that requires read access for the agentkit's `/metrics` route."""

    def __init__(self, app: ASGIApp, operator: Operator) -> None:
        self._app = app
        self._operator = operator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == METRICS_PATH:
            authorization = Request(scope).headers.get("authorization")
            try:
                self._operator.admit_reader(bearer_token(authorization))
            except NotAdmitted as refusal:
                problem = Problem.of(refusal, {ProblemType.UNAUTHORIZED})
                await problem.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)


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
