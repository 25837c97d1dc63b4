"""Routes of the original casino's dashboard: its failures are one text, with its statuses.

They are not in the OpenAPI document: that describes the API for new clients, whose errors are
problem documents.
"""

from collections import defaultdict

import orjson
from starlette.responses import Response
from starlette.routing import BaseRoute

from casino_lobby.access.operator import Operator
from casino_lobby.problem import Problem
from casino_lobby.problem_types import ProblemType
from casino_lobby.rest.budget import RestBudget
from casino_lobby.rest.dashboard.handlers import DashboardHandlers
from casino_lobby.rest.operation import operations_of
from casino_lobby.rest.resource import BoundOperation, NotFound, Resource

PREFIX = "/ui/"
_KEPT_STATUSES = frozenset({401, 403, 404, 405, 429, 500, 503})
"""Statuses whose meaning a client needs; every other failure is 400, as in the original."""


class DashboardResource(Resource):
    """A resource whose failures are `{"ok": false, "error": "…"}`."""

    def _failure(self, problem: Problem, *, is_read: bool) -> Response:
        return failure(problem, is_read=is_read)


class DashboardNotFound(NotFound):
    """Responds 404 in the dashboard's form."""

    def _failure(self, problem: Problem) -> Response:
        return failure(problem, is_read=True)


def failure(problem: Problem, *, is_read: bool) -> Response:
    """Return a failure: 404 of a read and 400 of a command, where no other status says more."""
    status = problem.kind.status
    if status not in _KEPT_STATUSES:
        status = 404 if is_read else 400
    elif problem.kind is ProblemType.ROOM_NOT_FOUND and not is_read:
        status = 400
    headers = problem.all_headers()
    content = orjson.dumps({"ok": False, "error": problem.detail})
    return Response(content, status, headers, media_type="application/json")


def dashboard_routes(
    handlers: DashboardHandlers, *, operator: Operator, budget: RestBudget
) -> list[BaseRoute]:
    """Return the routes of the dashboard."""
    resources: defaultdict[str, dict[str, BoundOperation]] = defaultdict(dict)
    for name, operation in operations_of(DashboardHandlers).items():
        bound = BoundOperation(operation, getattr(handlers, name))
        resources[operation.path][operation.method] = bound
    return [
        *(
            DashboardResource(path, operations, operator, budget)
            for path, operations in resources.items()
        ),
        DashboardNotFound(PREFIX),
    ]
