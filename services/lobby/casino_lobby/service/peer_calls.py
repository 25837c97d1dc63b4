"""Calls between the lobbies of a group: passed on to a room's owner, and answered by it."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar

import orjson
import structlog
from casino_agentkit import AgentError, CommandRefused, KitReason, Transport, Violation, bearer
from casino_agentkit.authority import is_token
from casino_agentkit.process.background_tasks import Backoff
from casino_contracts import Reason, RegisterTableInput, WireModel
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casino_lobby.errors import RETRY_AFTER_S, LobbyError, OwnedElsewhere, PeerAway, StoreFailed
from casino_lobby.service.lobby_service import LobbyService
from casino_lobby.service.peer_operations import (
    ANNOUNCED_TABLES,
    MOST_TABLES,
    OPERATIONS,
    PATH,
    AnnouncedTables,
    PeerOperation,
)
from casino_lobby.store import Store
from casino_lobby.store.lobby_store import Member

InputT = TypeVar("InputT", bound=WireModel)
OutputT = TypeVar("OutputT", bound=WireModel)

_AT_ONCE = 64
"""Requests to one lobby at a time; further ones wait."""
_OK, _CONFLICT, _ELSEWHERE, _UNAVAILABLE = 200, 409, 421, 503
_LEAVING = frozenset({Reason.STANDBY, Reason.DRAINING})
"""Reasons of a lobby that ends, or may have ended: its rooms will have another owner."""

COMMAND_PATIENCE_S: Final = 12.0
"""How long a command waits for the next owner: PostgreSQL ends a silent lobby's lock in 10 s."""
TABLE_PATIENCE_S: Final = 2.0
"""The same for what a table sends, which it repeats by itself."""
NO_ROOM: Final = ""
"""The id of no room: to find it, the store follows everything that was committed."""
_BACKOFF = Backoff(first_s=0.05, slowest_s=0.5)
_LOOK_EVERY_S = 0.25
"""How often a call looks whether its receiver is still the owner."""
FindOwner = Callable[[], Awaitable["Member | bool"]]
"""Returns the lobby that has to execute an operation; True if it is this one, False if nobody."""
GATHER_S: Final = 0.1
"""How long announcements are gathered: the tables of one process announce themselves together."""

logger = structlog.get_logger(__name__)


class PeerClient:
    """Sends operations over `transport`; `key` is the key that the lobbies share."""

    def __init__(self, transport: Transport, key: str) -> None:
        self._transport = transport
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        self._places: dict[tuple[str, str], asyncio.Semaphore] = {}

    async def call(
        self, peer: Member, operation: PeerOperation[InputT, OutputT], message: InputT
    ) -> OutputT:
        """Return the output of an operation.

        Raises CommandRefused and StoreFailed, as the other lobby did; OwnedElsewhere if another one
        is the owner; PeerAway if the lobby cannot be asked: it may have executed the operation.
        """
        url = f"{peer.url}{PATH}{operation.name}"
        place = self._places.setdefault((peer.url, operation.name), asyncio.Semaphore(_AT_ONCE))
        try:
            async with place:
                reply = await self._transport.send(
                    "POST", url, self._headers, message.wire(), operation.timeout_s
                )
        except AgentError as error:
            raise PeerAway(f"lobby {peer.number} at {error}") from error
        content = _object(reply.body)
        try:
            if reply.status == _OK:
                return operation.output.model_validate(content["output"])
            if reply.status == _ELSEWHERE and (owner := content.get("owner")) is not None:
                raise OwnedElsewhere(int(owner["number"]), str(owner["url"]))
            if reply.status in {_CONFLICT, _UNAVAILABLE} and "message" in content:
                _raise_refusal(peer, content)
        except (KeyError, TypeError, ValueError, ValidationError) as error:
            raise PeerAway(
                f"lobby {peer.number} at {peer.url} sent a reply to {operation.name} that cannot"
                " be read"
            ) from error
        raise PeerAway(
            f"lobby {peer.number} at {peer.url} responded {reply.status} to {operation.name}"
            + _advice(reply.status)
        )

    async def close(self) -> None:
        await self._transport.close()


def _object(body: bytes | bytearray) -> dict[str, Any]:
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return content if isinstance(content, dict) else {}


def _raise_refusal(peer: Member, content: dict[str, Any]) -> None:
    reason, message = str(content["reason"]), str(content["message"])
    if reason in _LEAVING:
        raise PeerAway(f"lobby {peer.number} at {peer.url} ends")
    if reason == Reason.STORE_FAILED:
        raise StoreFailed(f"at lobby {peer.number}: {message}")
    violations = tuple(
        Violation(str(fault["field"]), str(fault["message"]))
        for fault in content.get("violations", ())
    )
    details = {str(name): str(value) for name, value in content.get("details", {}).items()}
    raise CommandRefused(reason, message, violations, details)


def _advice(status: int) -> str:
    if status in {401, 403}:
        return ": CASINO_LOBBY_PEER_KEY must be the same at all lobbies"
    return ""


class OwnerRouting:
    """Executes operations here or at the owner, and again at the next one if that is lost.

    What is passed on has to be idempotent: a lobby that is lost may have executed it. `clock`
    returns seconds, `sleep` takes them.
    """

    def __init__(
        self,
        store: Store,
        client: PeerClient,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._client = client
        self._clock = clock
        self._sleep = sleep

    async def execute(
        self,
        operation: PeerOperation[InputT, OutputT],
        message: InputT,
        owner: FindOwner,
        here: Callable[[], Awaitable[OutputT]],
        *,
        patience_s: float = COMMAND_PATIENCE_S,
        is_read_here: bool = True,
    ) -> OutputT:
        """Return the output of an operation, which `here` executes if this lobby is the owner.

        With `is_read_here` this lobby has followed what the operation changed when it returns.
        Raises CommandRefused: those of the operation, and STANDBY if no owner answers within
        `patience_s`; and StoreFailed.
        """
        deadline, failures, cause = self._clock() + patience_s, 0, "no lobby has it"
        sent_on: Member | None = None
        while True:
            executor: Member | bool = sent_on or await owner()
            sent_on = None
            try:
                if executor is True:
                    return await here()
                if isinstance(executor, Member):
                    output = await self._call(executor, operation, message, owner)
                    if is_read_here:
                        await self._follow()
                    return output
            except OwnedElsewhere as elsewhere:
                cause = str(elsewhere)
                # Once; then the lobbies do not agree yet.
                sent_on = None if failures else Member(elsewhere.number, elsewhere.url)
            except PeerAway as away:
                cause = str(away)
            failures += 1
            if sent_on is None:
                if self._clock() >= deadline:
                    logger.warning("owner_away", operation=operation.name, error=cause)
                    raise _changing_hands(executor if isinstance(executor, Member) else None)
                await self._sleep(_BACKOFF.pause_s(failures))

    async def _call(
        self,
        executor: Member,
        operation: PeerOperation[InputT, OutputT],
        message: InputT,
        owner: FindOwner,
    ) -> OutputT:
        """Call a lobby for as long as it is the owner: one that is frozen answers nothing."""
        call = asyncio.ensure_future(self._client.call(executor, operation, message))
        try:
            while True:
                done, _ = await asyncio.wait([call], timeout=_LOOK_EVERY_S)
                if done:
                    return call.result()
                if executor not in self._store.group.others() and await owner() != executor:
                    raise PeerAway(f"lobby {executor.number} at {executor.url} was lost meanwhile")
        finally:
            if not call.done():
                call.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await call

    async def _follow(self) -> None:
        try:
            await self._store.group.find(NO_ROOM)
        except StoreFailed as failed:  # the operation was executed: only a read here is late
            logger.warning("reply_not_followed", error=str(failed))


def _changing_hands(owner: Member | None) -> CommandRefused:
    """Return the refusal; addresses of lobbies are not for callers."""
    lost = "a lobby that was lost" if owner is None else f"lobby {owner.number}"
    return CommandRefused(
        Reason.STANDBY,
        f"This belongs to {lost}, which cannot be asked, and no other one has taken it over yet."
        " Send the request again.",
        details={"retryAfter": str(RETRY_AFTER_S)},
    )


class FleetRelay:
    """Sends announcements to the `others` in the background; a lost one comes again by itself.

    `sleep` takes seconds.
    """

    def __init__(
        self,
        client: PeerClient,
        others: Callable[[], Sequence[Member]],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._others = others
        self._sleep = sleep
        self._gathered: dict[str, RegisterTableInput] = {}
        self._changed = asyncio.Event()

    def put(self, announcement: RegisterTableInput) -> None:
        """Relay an announcement soon, without what only the room's own lobby may read."""
        without = announcement.model_copy(update={"room_token": None, "request_id": None})
        self._gathered[announcement.agent_card_url] = without
        self._changed.set()

    async def run(self) -> None:
        """Relay what is put until cancelled."""
        while True:
            await self._changed.wait()
            await self._sleep(GATHER_S)
            self._changed.clear()
            tables, self._gathered = tuple(self._gathered.values()), {}
            async with asyncio.TaskGroup() as group:
                for peer in self._others():
                    group.create_task(self._send(peer, tables))

    async def _send(self, peer: Member, tables: tuple[RegisterTableInput, ...]) -> None:
        for first in range(0, len(tables), MOST_TABLES):
            message = AnnouncedTables(tables=tables[first : first + MOST_TABLES])
            try:
                await self._client.call(peer, ANNOUNCED_TABLES, message)
            except LobbyError as error:
                logger.info("announcements_not_relayed", peer=peer.number, error=str(error))
                return


_JSON = "application/json"


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
        if operation.is_found_by_command:
            if message.request_id is None:
                return None
            owner = await self._store.group.command_owner(f"{operation.name}/{message.request_id}")
            return None if owner is None else (owner,)
        room = None
        if operation.room_id is not None:
            room = self._store.room(operation.room_id(message) or "")
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
