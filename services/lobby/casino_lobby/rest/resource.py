"""An address of the REST face: what it takes, and every failure as a problem document."""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote

import structlog
from casino_agentkit import CommandRefused
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from casino_lobby.access.operator import NotAdmitted, Operator, bearer_token
from casino_lobby.problems.problem import Problem, ProblemType
from casino_lobby.rest.budget import RestBudget
from casino_lobby.rest.operation import Operation
from casino_lobby.rest.parameters import check_query
from casino_lobby.rest.requests import check_media_type

Endpoint = Callable[[Request], Awaitable[Response]]

_OF_OUR_OWN = frozenset({ProblemType.UNAUTHORIZED, ProblemType.OPERATOR_ONLY})
"""What only the lobby says: another agent's refusal must not ask anybody for the operator's key."""

logger = structlog.get_logger(__name__)


class BoundOperation(NamedTuple):
    """An operation and who carries it out."""

    operation: Operation
    endpoint: Endpoint


class Resource(BaseRoute):
    """The operations of one path, by method.

    Segments are split before they are decoded, so `%2F` within an id does not lead elsewhere; what
    is no UTF-8 leads nowhere.
    """

    def __init__(
        self,
        path: str,
        operations: Mapping[str, BoundOperation],
        operator: Operator,
        budget: RestBudget,
    ) -> None:
        self.path = path
        self._operator = operator
        self._segments = path.split("/")
        self._operations = dict(operations)
        self._budget = budget
        if "GET" in operations:
            self._operations["HEAD"] = operations["GET"]  # the server leaves the body out
        self._allowed = ", ".join([*self._operations, "OPTIONS"])

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell whether a request is for this address; its parameters are in the scope then."""
        if scope["type"] != "http":
            return Match.NONE, {}
        given = _raw_path(scope).split("/")
        if len(given) != len(self._segments):
            return Match.NONE, {}
        parameters = {}
        for wanted, segment in zip(self._segments, given, strict=True):
            try:
                text = unquote(segment, errors="strict")
            except UnicodeDecodeError:
                return Match.NONE, {}
            if wanted.startswith("{") and text:
                parameters[wanted[1:-1]] = text
            elif text != wanted:
                return Match.NONE, {}
        return Match.FULL, {"endpoint": self, "path_params": parameters}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        handled = self._operations.get(request.method)
        if handled is not None:
            response = await self._answer(handled, request)
            if handled.operation.is_stream and request.method == "HEAD":
                response = Response(None, response.status_code, response.headers)
        elif request.method == "OPTIONS":
            response = Response(status_code=204, headers={"Allow": self._allowed})
        else:
            response = Problem(
                ProblemType.METHOD_NOT_ALLOWED,
                f"{request.url.path} takes {self._allowed}.",
                headers={"Allow": self._allowed},
            ).response()
        await response(scope, receive, send)

    def _admit(self, operation: Operation, request: Request) -> None:
        """Check that the caller may use an operation; raises NotAdmitted."""
        token = bearer_token(request.headers.get("authorization"))
        match operation.who:
            case "operator" if operation.is_command:
                self._operator.admit(token)
            case "operator":  # what is only read, and still the operator's, are hidden cards
                self._operator.admit_to_all_cards(token)
            case "reader":
                self._operator.admit_reader(token)
            case "public":
                pass

    async def _answer(self, handled: BoundOperation, request: Request) -> Response:
        operation, endpoint = handled
        try:
            self._budget.before(request, operation)
            self._admit(operation, request)
            if operation.is_command:
                check_media_type(request)
            check_query(request, operation.parameters)
            response = await endpoint(request)
            self._budget.after(request, operation, response)
        except Problem as problem:
            return problem.response()
        except NotAdmitted as refusal:
            return Problem.of(refusal, operation.problems).response()
        except CommandRefused as refusal:
            return Problem.of(refusal, operation.problems - _OF_OUR_OWN).response()
        except Exception:
            # A fault of ours: the operator gets a plain sentence, the log gets the rest.
            logger.exception("request_failed", operation=operation.operation_id)
            return Problem(ProblemType.INTERNAL, "See the lobby's log.").response()
        else:
            return response


class NotFound(BaseRoute):
    """Whatever else is below a path."""

    def __init__(self, below: str) -> None:
        self._below = below

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell whether a request is for somewhere below."""
        is_below = scope["type"] == "http" and scope["path"].startswith(self._below)
        return (Match.FULL, {"endpoint": self}) if is_below else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say so."""
        detail = f"There is no {scope['method']} {scope['path'][:200]}; see /openapi.json."
        await Problem(ProblemType.NOT_FOUND, detail).response()(scope, receive, send)


def _raw_path(scope: Scope) -> str:
    """Return the path as it was sent, still encoded."""
    raw: bytes | None = scope.get("raw_path")
    return (
        quote(scope["path"]) if raw is None else raw.partition(b"?")[0].decode("ascii", "replace")
    )
