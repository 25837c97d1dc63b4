"""Declaring an operation at its handler."""

from itertools import pairwise
from typing import Any

import pytest
from casino_contracts import LeaveRoomInput, RoomList, TableSummary
from casino_lobby.problems.types import ProblemType
from casino_lobby.rest.operation import Operation, operations_of
from casino_lobby.rest.operations import OPERATIONS, Handlers
from starlette.requests import Request
from starlette.responses import Response

DECLARATION: dict[str, Any] = {
    "operation_id": "x",
    "method": "GET",
    "path": "/v1/x",
    "tag": "lobby",
    "problems": frozenset[ProblemType](),
}


class XHandlers:
    """Handlers of operations that no lobby has."""

    @Operation(**{**DECLARATION, "method": "DELETE"}, who="operator")
    async def remove(self, _request: Request, _command: LeaveRoomInput) -> TableSummary:
        """Remove a player.

        Frees the seat,
        at once.

        Returns the `table`.
        """
        raise NotImplementedError

    def other(self) -> None:
        """Do something that is no operation."""

    @Operation(**{**DECLARATION, "operation_id": "list"}, who="public")
    async def list(self, _request: Request) -> RoomList:
        """List rooms."""
        raise NotImplementedError

    @Operation(**{**DECLARATION, "operation_id": "page"}, who="public", media_type="text/html")
    async def page(self, _request: Request) -> Response:
        """Get a page."""
        raise NotImplementedError


class TestHandler:
    """What a declaration reads from its handler."""

    def test_operations_are_found_by_method_in_order(self) -> None:
        """Methods without the decorator are skipped."""
        ids = [(name, one.operation_id) for name, one in operations_of(XHandlers).items()]
        assert ids == [("remove", "x"), ("list", "list"), ("page", "page")]

    def test_the_docstring_is_summary_and_description(self) -> None:
        """The summary has no full stop, and the description is one paragraph."""
        remove, rooms, _ = operations_of(XHandlers).values()
        assert remove.summary == "Remove a player"
        assert remove.description == "Frees the seat, at once. Returns the `table`."
        assert (rooms.summary, rooms.description) == ("List rooms", "")

    def test_the_annotations_are_the_messages(self) -> None:
        """`Request` and `Response` are not messages."""
        remove, rooms, page = operations_of(XHandlers).values()
        assert (remove.request_model, remove.response_model) == (LeaveRoomInput, TableSummary)
        assert (rooms.request_model, rooms.response_model) == (None, RoomList)
        assert (page.request_model, page.response_model) == (None, None)


class TestAccess:
    """Every operation declares who may use it, or the lobby does not start."""

    def test_leaving_it_out_is_an_error(self) -> None:
        """`who` has no default."""
        with pytest.raises(TypeError, match="who"):
            Operation(**DECLARATION)

    @pytest.mark.parametrize("who", ["public", "reader"])
    @pytest.mark.parametrize("method", ["POST", "DELETE"])
    def test_a_command_is_only_for_the_operator(self, method: str, who: Any) -> None:
        """A command has any method but GET."""
        with pytest.raises(TypeError, match="operator"):
            Operation(**{**DECLARATION, "method": method}, who=who)

    def test_unauthorized_is_a_problem_of_every_operation_that_is_not_public(self) -> None:
        """It is documented and sent as 401."""
        assert ProblemType.UNAUTHORIZED in Operation(**DECLARATION, who="reader").problems
        assert ProblemType.UNAUTHORIZED not in Operation(**DECLARATION, who="public").problems


class TestOperations:
    """The operations of the lobby."""

    def test_all_handlers_are_collected(self) -> None:
        """They have the order of the classes, and of the methods in each."""
        ids = [operation.operation_id for operation in OPERATIONS]
        assert [ids[0], ids[-1]] == ["listRooms", "streamLobby"]
        by_class = [operations_of(handlers) for handlers in Handlers.__annotations__.values()]
        assert ids == [one.operation_id for found in by_class for one in found.values()]
        assert all(by_class)

    def test_none_hides_another(self) -> None:
        """Each has its own id, and its own method and path."""
        ids = sorted(operation.operation_id for operation in OPERATIONS)
        addresses = sorted((operation.path, operation.method) for operation in OPERATIONS)
        assert all(one != other for one, other in pairwise(ids))
        assert all(one != other for one, other in pairwise(addresses))

    def test_every_public_method_of_a_handler_class_is_an_operation(self) -> None:
        """A handler without a declaration would never be called."""
        for handlers in Handlers.__annotations__.values():
            methods = {name for name in vars(handlers) if not name.startswith("_")}
            assert methods == set(operations_of(handlers))

    def test_what_only_an_operator_may_do(self) -> None:
        """Commands, and reading what shows hidden cards."""
        for_operators = {one.operation_id for one in OPERATIONS if one.who == "operator"}
        commands = {one.operation_id for one in OPERATIONS if one.is_command}
        assert for_operators == commands | {"readHandRecord"}
        public = {one.operation_id for one in OPERATIONS if one.who == "public"}
        assert public == {"readProblem", "listGames", "readGameSpecification"}
        for_players = {one.operation_id for one in OPERATIONS if one.who == "player"}
        assert for_players == {"listOwnHands", "readOwnHand"}
