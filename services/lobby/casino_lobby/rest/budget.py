"""Charges REST requests to the budget of their client address."""

from starlette.requests import Request
from starlette.responses import Response

from casino_lobby.access.operator import Operator, is_of_casino
from casino_lobby.access.request_budget import COMMAND, RequestBudget, weight_of_bytes
from casino_lobby.rest.operation import Operation


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
