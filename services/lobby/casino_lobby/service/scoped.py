"""The use cases as the services beside a lobby may use them: within scope and share."""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from casino_agentkit import caller
from casino_contracts import (
    CreateRoomInput,
    LeaveRoomInput,
    Reason,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomSnapshot,
    StartRoomInput,
    TableSummary,
)
from casino_contracts.lobby_messages import Service

from casino_lobby.access.operator import Operator
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_limits import SCOPES, RoomOrder, SeatOrder, order_of
from casino_lobby.errors import NotAdmitted
from casino_lobby.service.use_cases import UseCases

_IN_PROGRESS: Final = {"commands": 16, "commands that open a room": 4}
"""How many a service may have in progress; each of the latter may start a process."""


class ScopedUseCases:
    """Implements `RoomUseCases`; entrypoints admit callers without the key of a service."""

    def __init__(self, use_cases: UseCases, operator: Operator) -> None:
        self._use_cases = use_cases
        self._operator = operator
        self._running = Counter[tuple[Service, str]]()

    async def create_room(self, request: CreateRoomInput) -> RoomSnapshot:
        """Open a room of the caller."""
        async with self._command("createRoom", request) as (service, sent):
            return await self._use_cases.create_room(order_of(RoomOrder, sent, owner=service))

    async def close_room(self, room_id: str) -> RoomSnapshot:
        """Close a room after its running hand."""
        async with self._command("closeRoom", room_id=room_id):
            return await self._use_cases.close_room(room_id)

    async def register_player(self, request: RegisterPlayerInput) -> RegisteredPlayer:
        """Invite a player agent and have the table seat it."""
        async with self._command("registerPlayer", request, request.room_id) as (service, sent):
            order = order_of(SeatOrder, sent, registrar=service)
            return await self._use_cases.register_player(order)

    async def leave_room(self, request: LeaveRoomInput) -> TableSummary:
        """Release a player's seat."""
        async with self._command("leaveRoom", request, request.room_id, request.player_id) as (
            _,
            sent,
        ):
            return await self._use_cases.leave_room(sent)

    async def start_room(self, request: StartRoomInput) -> TableSummary:
        """Start a session."""
        async with self._command("startRoom", request, request.room_id) as (_, sent):
            return await self._use_cases.start_room(sent)

    @asynccontextmanager
    async def _command(
        self,
        command: str,
        request: Any = None,
        room_id: str | None = None,
        player_id: str | None = None,
    ) -> AsyncIterator[tuple[Service | None, Any]]:
        """Admit and count a command within the block; gives the service, and what it sends.

        Raises CommandRefused: OPERATOR_ONLY, ROOM_NOT_FOUND, TOO_MANY_REQUESTS.
        """
        token = caller().token
        service = self._operator.service_of(token)
        if service is None:
            yield None, request
            return
        self._operator.admit_command(token, command)
        if room_id is not None:
            room = await self._use_cases.find_room(room_id)
            if not _may(service, command, room, player_id):
                raise NotAdmitted(
                    Reason.OPERATOR_ONLY,
                    f"The {service} may not {command} in room {room.room_id}: it is not its own"
                    + ("." if room.entry == "open" else ", and its seats are for the invited."),
                )
        kinds = [(service, "commands")]
        if command == "createRoom":
            kinds.append((service, "commands that open a room"))
        for kind in kinds:
            if self._running[kind] >= _IN_PROGRESS[kind[1]]:
                raise NotAdmitted(
                    Reason.TOO_MANY_REQUESTS,
                    f"The {service} has {_IN_PROGRESS[kind[1]]} {kind[1]} in progress, its share of"
                    " this lobby; send it again a little later.",
                    details={"retryAfter": "1"},
                )
        self._running.update(kinds)
        try:
            yield service, _of_service(request, service)
        finally:
            self._running.subtract(kinds)


def _may(service: Service, command: str, room: Room, player_id: str | None) -> bool:
    """Return whether a service may send a command of its scope about a room."""
    if room.owner == service:
        return True
    if room.entry != "open" or command not in SCOPES[service].open_rooms:
        return False
    agent = room.agents.get(player_id or "")
    return player_id is None or (agent is not None and agent.registrar == service)


def _of_service(request: Any, service: Service) -> Any:
    """Return a command whose request id is the service's own: no caller gets another's reply."""
    request_id = getattr(request, "request_id", None)
    if request_id is None:
        return request
    digest = hashlib.blake2b(request_id.encode(), digest_size=16).hexdigest()
    return request.model_copy(update={"request_id": f"{service}/{digest}"})
