"""`POST /peer/{operation}`: executes what another lobby of the group passes on.

Only a caller with the peer key is admitted. Who may send a command was decided at the lobby that
the client called, with its usual rules.

Replies: 200 `{"output"}`; 409 and 503 `{"reason", "message", …}`, a refusal; 421
`{"owner"}`, the lobby that has the room; 401, 404 and 422 for wrong requests.
"""

from typing import Any

import orjson
import structlog
from casino_agentkit import CommandRefused, KitReason, bearer
from casino_agentkit.authority import is_token
from casino_contracts import Reason, WireModel
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casino_lobby.errors import OwnedElsewhere, StoreFailed
from casino_lobby.peers.peer_operations import CREATE_ROOM, OPERATIONS, PATH, PeerOperation
from casino_lobby.service.lobby_service import LobbyService
from casino_lobby.store import Store
from casino_lobby.store.lobby_group import Member

_JSON = "application/json"

logger = structlog.get_logger(__name__)


class _WrongRequest(Exception):
    """The request is of no lobby of this group, or of another release."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class PeerEndpoint:
    """Executes operations of other lobbies; `key` is the key that the lobbies share."""

    def __init__(self, lobby: LobbyService, store: Store, key: str) -> None:
        self._lobby = lobby
        self._store = store
        self._key = key

    def route(self) -> Route:
        """Return the route of all operations."""
        return Route(PATH + "{operation}", self._respond, methods=["POST"])

    async def _respond(self, request: Request) -> Response:
        try:
            operation, message = await self._read(request)
            return await self._execute(operation, message)
        except _WrongRequest as wrong:
            return _refusal(wrong.status, CommandRefused(wrong.reason, str(wrong)))
        except OwnedElsewhere as owner:
            return _owner(Member(owner.number, owner.url))
        except CommandRefused as refusal:
            return _refusal(409, refusal)
        except StoreFailed as failed:
            return _refusal(503, failed.refusal())
        except Exception:
            # A bug of the lobby: the details go to the log only.
            logger.exception("request_failed", operation=request.url.path)
            return _refusal(500, CommandRefused(Reason.AGENT_REFUSED, "See the log of the lobby."))

    async def _read(self, request: Request) -> tuple[PeerOperation[Any, Any], WireModel]:
        """Return what is wanted; raises _WrongRequest."""
        if not is_token(bearer(request.headers.get("authorization", "")), self._key):
            raise _WrongRequest(401, KitReason.UNAUTHORIZED, "Only lobbies of the group call this.")
        operation = OPERATIONS.get(request.path_params["operation"])
        if operation is None:
            raise _WrongRequest(
                404, KitReason.UNSUPPORTED_OPERATION, "There is no such operation of lobbies."
            )
        try:
            return operation, operation.input.model_validate_json(await request.body())
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            paths = sorted({".".join(map(str, fault["loc"])) for fault in faults[:3]} - {""})
            detail = f"Faulty fields: {', '.join(paths) or 'the body is no such message'}."
            raise _WrongRequest(422, Reason.AGENT_CONTRACT_VIOLATION, detail) from error

    async def _execute(self, operation: PeerOperation[Any, Any], message: WireModel) -> Response:
        owner = await self._elsewhere(operation, message)
        if owner is not None:
            return _owner(owner[0])
        output = await operation.do(self._lobby, message)
        return Response(b'{"output":%b}' % output.wire(), media_type=_JSON)

    async def _elsewhere(
        self, operation: PeerOperation[Any, Any], message: Any
    ) -> tuple[Member | None] | None:
        """Return the owner of what an operation is about, in a tuple; None if it is this lobby."""
        if operation is CREATE_ROOM:
            if message.request_id is None:
                return None
            owner = await self._store.group.command_owner(
                f"{CREATE_ROOM.name}/{message.request_id}"
            )
            return None if owner is None else (owner,)
        room = None
        if operation.room_id is not None:
            room = self._store.room(operation.room_id(message))
        elif operation.table_id is not None:
            room = self._store.room_of_table(operation.table_id(message))
        if room is None or self._store.group.owns(room):
            return None
        return (self._store.group.owner_of(room),)


def _owner(owner: Member | None) -> Response:
    content = None if owner is None else {"number": owner.number, "url": owner.url}
    return Response(orjson.dumps({"owner": content}), 421, media_type=_JSON)


def _refusal(status: int, refusal: CommandRefused) -> Response:
    content = {
        "reason": refusal.reason,
        "message": refusal.message,
        "violations": [
            {"field": fault.field, "message": fault.message} for fault in refusal.violations
        ],
        "details": refusal.details,
    }
    return Response(orjson.dumps(content), status, media_type=_JSON)
