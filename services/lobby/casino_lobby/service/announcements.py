"""Announcements of table agents: the fleet, and tables that moved or were replaced."""

import structlog
from casino_agentkit.authority import is_token
from casino_contracts import RegisterTableInput, RegisterTableOutput

from casino_lobby.domain.fleet import base_url
from casino_lobby.domain.room import Room
from casino_lobby.service.parts import LobbyParts

logger = structlog.get_logger(__name__)


class Announcements:
    """Registers tables that announce themselves."""

    def __init__(self, parts: LobbyParts) -> None:
        self._parts = parts

    async def register(self, request: RegisterTableInput) -> RegisterTableOutput:
        """Register a table in the fleet; rooms that are created without a table may get it.

        A table that moved to another address is identified by the token of the room it serves.
        """
        self._parts.tables.announce(request.agent_card_url)
        announced_url = base_url(request.agent_card_url)
        served = self._parts.store.room_of_table(request.table_id or "")
        has_moved = served and base_url(served.table_card_url) != announced_url
        if served and has_moved and served.phase == "open" and _is_table_of(served, request):
            self._parts.background.begin(self._move_table(served, request.agent_card_url))
        for room in self._parts.store.rooms():
            is_at_url = base_url(room.table_card_url) == announced_url and room.phase == "open"
            if is_at_url and room.table_id != request.table_id:
                self._parts.background.begin(self._parts.reconciler.revive(room))
        return RegisterTableOutput()

    async def _move_table(self, room: Room, card_url: str) -> None:
        """Change the address of a room's table if the old address no longer serves the room."""
        if await self._parts.tables.serves(room):
            return
        logger.info("table_moved", room=room.room_id, to=card_url)
        room.move_table(card_url)
        await self._parts.store.save(room)
        await self._parts.reconciler.revive(room)


def _is_table_of(room: Room, request: RegisterTableInput) -> bool:
    """Return whether an announcement carries the token of the room's table.

    A token of an earlier epoch counts only while no table has sent an event of the room's epoch.
    """
    epoch = request.epoch or room.epoch
    is_current = epoch >= room.epoch or not room.last_sequence
    expected = room.key(epoch).events
    return room.is_keyed and is_current and is_token(request.room_token or "", expected)
