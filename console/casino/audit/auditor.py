"""Reads a casino's public record from its lobby, and checks it room by room."""

from typing import Protocol

from casino_contracts import EventPage, HandPage, RoomList, RoomSnapshot, Standings

from casino.audit.room_audit import RoomAudit

_ALL = 10**9


class PublicRecord(Protocol):
    """Where the record is read: `LobbyApi` is one."""

    async def rooms(self, status: str | None = None) -> RoomList:
        """Return all rooms."""

    async def room(self, room_id: str) -> RoomSnapshot:
        """Return a room."""

    async def events(self, room_id: str, after: int, epoch: int) -> EventPage:
        """Return a page of an epoch's events after a sequence."""

    async def standings(self, room_id: str) -> Standings:
        """Return the results of a room's players."""

    async def hands(self, room_id: str, order: str, limit: int) -> HandPage:
        """Return completed hands."""


class Auditor:
    """Audits the rooms of a lobby, also while they play; what was read is not read again."""

    def __init__(self, record: PublicRecord) -> None:
        self._record = record
        self.rooms: dict[str, RoomAudit] = {}

    async def read(self) -> None:
        """Read the new events of every room; raises Irregular."""
        for room in (await self._record.rooms()).rooms:
            await self.read_room(room.room_id)

    async def read_room(self, room_id: str) -> RoomAudit:
        """Read the new events of a room, and compare counts and standings; raises Irregular.

        What they are compared with is read before the events, which may only say more.
        """
        audit = self.rooms.setdefault(room_id, self.begin(room_id))
        room = await self._record.room(room_id)
        standings = await self._record.standings(room_id)
        _compare(audit, standings)
        for epoch in range(audit.epoch, (room.epoch or 1) + 1):
            await self._read_epoch(audit, epoch, standings)
        audit.check_whole()
        audit.check_count(room.summary.hand_count if room.summary else 0)
        return audit

    async def check_list(self, audit: RoomAudit) -> None:
        """Compare the list of a room's completed hands with its events; raises Irregular."""
        listed = (await self._record.hands(audit.room_id, "oldest", _ALL)).hands
        for hand in listed:
            if hand.hand_number <= audit.started:  # the others were played since
                audit.check_listed(hand)

    def begin(self, room_id: str) -> RoomAudit:
        """Return the audit of a room of which nothing is read."""
        return RoomAudit(room_id)

    async def _read_epoch(self, audit: RoomAudit, epoch: int, standings: Standings) -> None:
        while True:
            after = audit.sequence if epoch == audit.epoch else 0
            page = await self._record.events(audit.room_id, after, epoch)
            kept = page.kept_from
            if kept and not audit.events and not audit.is_cut:
                audit.begin_at(kept.epoch, kept.sequence)
                if epoch <= kept.epoch:
                    continue
            if epoch < audit.epoch:
                return
            for event in page.events:
                audit.take(event)
                if event.event_type == "hand_completed":
                    _compare(audit, standings)
            if not page.events:
                return


def _compare(audit: RoomAudit, standings: Standings) -> None:
    """Compare the standings if they are those after the newest hand that was read."""
    if standings.since_hand is None and standings.hands == len(audit.completed):
        for player in standings.players:
            audit.check_standing(player)
