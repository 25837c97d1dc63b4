"""Routes requests to operations, charges them, and turns every failure into a problem document."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote

import structlog
from casino_agentkit import CommandRefused
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from casino_lobby.access.operator import Operator, bearer_token, is_of_casino
from casino_lobby.access.request_budget import COMMAND, RequestBudget, weight_of_bytes
from casino_lobby.errors import NotAdmitted, StoreFailed
from casino_lobby.problem import Problem, ProblemType
from casino_lobby.rest.operation import Handler, Operation, operations_of
from casino_lobby.rest.request_reading import check_media_type, check_query, read_command

_LOBBY_ONLY = frozenset({ProblemType.UNAUTHORIZED, ProblemType.OPERATOR_ONLY})
"""Problems that only the lobby may raise: agents must not ask callers for the operator's key."""
Admission = Callable[[Request], Awaitable[None]]
Failure = Callable[[Problem, bool], Response]
"""Returns a problem as a response; the second argument is whether the request was a read."""

logger = structlog.get_logger(__name__)


class RestBudget:
    """Charges requests; the operator's and the services' are free.

    `Streams` charges for streams itself.
    """

    def __init__(self, budget: RequestBudget, operator: Operator) -> None:
        self._budget = budget
        self._operator = operator

    def before(self, request: Request, operation: Operation) -> None:
        """Charge for a command or a read; raises CommandRefused: TOO_MANY_REQUESTS."""
        if self._is_counted(request, operation):
            self._budget.take(
                _address(request), COMMAND if operation.is_command else operation.price
            )

    def after(self, request: Request, operation: Operation, response: Response) -> None:
        """Charge for the size of a read's response; a HEAD request costs as much as its GET."""
        if not operation.is_command and self._is_counted(request, operation):
            self._budget.charge(_address(request), weight_of_bytes(len(response.body)))

    def _is_counted(self, request: Request, operation: Operation) -> bool:
        return not operation.is_stream and not is_of_casino(request, self._operator)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


class BoundOperation(NamedTuple):
    """An operation with its handler."""

    operation: Operation
    handler: Handler
    admission: Admission | None = None
    """Admits the callers of an operation for players."""

    async def respond(self, request: Request) -> Response:
        """May raise Problem, CommandRefused."""
        operation, handler, _ = self
        model = operation.request_model
        command = () if model is None else (await read_command(request, model),)
        reply = await handler(request, *command)
        if isinstance(reply, Response):
            return reply
        response = Response(reply.wire(), operation.status, media_type=operation.media_type)
        if operation.is_private:
            response.headers["Cache-Control"] = "no-store"
        if operation.location is not None:
            response.headers["Location"] = operation.location(reply)
        return response


def _problem_document(problem: Problem, is_read: bool) -> Response:  # noqa: ARG001, FBT001
    return problem.response()


class Resource(BaseRoute):
    """The operations of one path, by method.

    The path is split into segments before percent-decoding, so an id may contain `%2F`. Segments
    that are not UTF-8 do not match.
    """

    def __init__(
        self,
        path: str,
        operations: Mapping[str, BoundOperation],
        operator: Operator,
        budget: RestBudget,
        failure: Failure = _problem_document,
    ) -> None:
        self.path = path
        self._failure = failure
        self._operator = operator
        self._segments = path.split("/")
        self._operations = dict(operations)
        self._budget = budget
        if "GET" in operations:
            self._operations["HEAD"] = operations["GET"]  # the server omits the body
        self._allowed = ", ".join([*self._operations, "OPTIONS"])

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        segments = _raw_path(scope).split("/")
        if len(segments) != len(self._segments):
            return Match.NONE, {}
        parameters = {}
        for expected, segment in zip(self._segments, segments, strict=True):
            try:
                text = unquote(segment, errors="strict")
            except UnicodeDecodeError:
                return Match.NONE, {}
            if expected.startswith("{") and text:
                parameters[expected[1:-1]] = text
            elif text != expected:
                return Match.NONE, {}
        return Match.FULL, {"endpoint": self, "path_params": parameters}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        bound = self._operations.get(request.method)
        if bound is not None:
            response = await self._respond(bound, request)
            if bound.operation.is_stream and request.method == "HEAD":
                response = Response(None, response.status_code, response.headers)
        elif request.method == "OPTIONS":
            response = Response(status_code=204, headers={"Allow": self._allowed})
        else:
            problem = Problem(
                ProblemType.METHOD_NOT_ALLOWED,
                f"{request.url.path} allows {self._allowed}.",
                headers={"Allow": self._allowed},
            )
            response = self._failure(problem, False)
        await response(scope, receive, send)

    async def _admit(self, bound: BoundOperation, request: Request) -> None:
        """Check that the caller may use the operation; raises NotAdmitted, CommandRefused."""
        operation = bound.operation
        token = bearer_token(request.headers.get("authorization"))
        match operation.who:
            case "operator" if operation.is_command:
                self._operator.admit_command(token, operation.operation_id)
            case "operator":  # operator-only reads are those of hidden cards
                self._operator.admit_to_all_cards(token)
            case "reader":
                self._operator.admit_reader(token)
            case "player":
                assert bound.admission is not None  # noqa: S101  its class has one
                await bound.admission(request)
            case "public":
                pass

    async def _respond(self, bound: BoundOperation, request: Request) -> Response:
        operation = bound.operation
        try:
            self._budget.before(request, operation)
            await self._admit(bound, request)
            if operation.is_command:
                check_media_type(request)
            check_query(request, operation.parameters)
            response = await bound.respond(request)
            self._budget.after(request, operation, response)
        except Problem as raised:  # in no other variable: its traceback has this frame
            return self._failure(raised, not operation.is_command)
        except NotAdmitted as refusal:
            problem = Problem.of(refusal, operation.problems)
        except CommandRefused as refusal:
            problem = Problem.of(refusal, operation.problems - _LOBBY_ONLY)
        except StoreFailed as failed:
            problem = Problem.of(failed.refusal(), operation.problems)
        except Exception:
            # A bug of the lobby: the details go to the log only.
            logger.exception("request_failed", operation=operation.operation_id)
            problem = Problem(ProblemType.INTERNAL, "See the log of the lobby.")
        else:
            return response
        return self._failure(problem, not operation.is_command)


def resources_of(
    handlers: Iterable[object],
    operator: Operator,
    budget: RestBudget,
    failure: Failure = _problem_document,
) -> list[Resource]:
    resources: defaultdict[str, dict[str, BoundOperation]] = defaultdict(dict)
    for handler in handlers:
        for name, operation in operations_of(type(handler)).items():
            admission = getattr(handler, "admission", None)
            bound = BoundOperation(operation, getattr(handler, name), admission)
            resources[operation.path][operation.method] = bound
    return [
        Resource(path, operations, operator, budget, failure)
        for path, operations in resources.items()
    ]


class NotFound(BaseRoute):
    """Responds 404 to every request below a path prefix."""

    def __init__(self, prefix: str, failure: Failure = _problem_document) -> None:
        self._prefix = prefix
        self._failure = failure

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_match = scope["type"] == "http" and scope["path"].startswith(self._prefix)
        return (Match.FULL, {"endpoint": self}) if is_match else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = f"There is no {scope['method']} {scope['path'][:200]}; see /openapi.json."
        response = self._failure(Problem(ProblemType.NOT_FOUND, detail), True)
        await response(scope, receive, send)


def _raw_path(scope: Scope) -> str:
    raw: bytes | None = scope.get("raw_path")
    return (
        quote(scope["path"]) if raw is None else raw.partition(b"?")[0].decode("ascii", "replace")
    )
