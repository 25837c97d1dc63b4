"""What a request of the REST interface costs its address: the operator's cost nothing."""

from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.access.operator import Operator, is_of_operator
from casino_lobby.access.request_budget import COMMAND, READ, RequestBudget, weight_of_bytes
from casino_lobby.rest.operation import Operation


class RestBudget:
    """Takes what a request costs; a stream pays for itself (`Streams`)."""

    def __init__(self, budget: RequestBudget, operator: Operator) -> None:
        self._budget = budget
        self._operator = operator

    def before(self, request: Request, operation: Operation) -> None:
        """Pay for a command, or for asking; raises CommandRefused: TOO_MANY_REQUESTS."""
        if self._is_counted(request, operation):
            self._budget.take(_address(request), COMMAND if operation.is_command else READ)

    def after(self, request: Request, operation: Operation, response: Response) -> None:
        """Pay for what a read returned, a HEAD's as well: it was read and written all the same."""
        if not operation.is_command and self._is_counted(request, operation):
            self._budget.charge(_address(request), weight_of_bytes(len(response.body)))

    def _is_counted(self, request: Request, operation: Operation) -> bool:
        return not operation.is_stream and not is_of_operator(request, self._operator)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
