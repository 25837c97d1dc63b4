"""Declaring an operation at its handler."""

from typing import Any

import pytest
from casino_lobby.problem import ProblemType
from casino_lobby.rest.operation import Operation, operations_of
from casino_lobby.rest.rest_routes import Handlers

DECLARATION: dict[str, Any] = {
    "operation_id": "x",
    "route": "GET /v1/x",
    "tag": "lobby",
    "problems": frozenset[ProblemType](),
}


class TestAccess:
    """Every operation declares who may use it, or the lobby does not start."""

    def test_leaving_it_out_is_an_error(self) -> None:
        with pytest.raises(TypeError, match="who"):
            Operation(**DECLARATION)

    @pytest.mark.parametrize("who", ["public", "reader"])
    @pytest.mark.parametrize("method", ["POST", "DELETE"])
    def test_a_command_is_only_for_the_operator(self, method: str, who: Any) -> None:
        with pytest.raises(TypeError, match="operator"):
            Operation(**{**DECLARATION, "route": f"{method} /v1/x"}, who=who)


class TestOperations:
    def test_every_public_method_of_a_handler_class_is_an_operation(self) -> None:
        """A handler without a declaration would never be called."""
        for handlers in Handlers.__annotations__.values():
            methods = {name for name in vars(handlers) if not name.startswith("_")}
            assert methods == set(operations_of(handlers))
