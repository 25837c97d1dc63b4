"""Restricts `/metrics` to callers with read access."""

from casino_agentkit.call_metrics import METRICS_PATH
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from casino_lobby.access.operator import Operator, bearer_token
from casino_lobby.errors import NotAdmitted
from casino_lobby.problem import Problem
from casino_lobby.problem_types import ProblemType


class MetricsGate:
    """ASGI middleware that requires read access for the agentkit's `/metrics` route."""

    def __init__(self, app: ASGIApp, operator: Operator) -> None:
        self._app = app
        self._operator = operator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond 401 to callers without read access; pass other requests on."""
        if scope["type"] == "http" and scope["path"] == METRICS_PATH:
            authorization = Request(scope).headers.get("authorization")
            try:
                self._operator.admit_reader(bearer_token(authorization))
            except NotAdmitted as refusal:
                problem = Problem.of(refusal, {ProblemType.UNAUTHORIZED})
                await problem.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)
