"""Queries about rooms, tables and the lobby; all but archived rooms are answered from memory."""

from casino_contracts import ListedTable, LobbyInfo, RoomList, TableList

from casino_lobby.domain.fleet import Fleet, base_url
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_addresses import AWAY, WAITING
from casino_lobby.domain.room_views import room_summary
from casino_lobby.store import Store


class LobbyQueries:
    """Lists rooms and tables; `info` describes the lobby itself."""

    def __init__(self, store: Store, fleet: Fleet, info: LobbyInfo) -> None:
        self._store = store
        self._fleet = fleet
        self.info = info

    def rooms(
        self,
        *,
        status: str | None = None,
        game_type: str | None = None,
        state: str | None = None,
        after: str | None = None,
        limit: int,
    ) -> RoomList:
        """Return a page of the matching rooms after the id `after`, the oldest first."""
        rooms = self._store.rooms()
        if after is not None:
            start = next((i for i, room in enumerate(rooms, 1) if room.room_id == after), 0)
            rooms = rooms[start:]
        matches = [
            room
            for room in rooms
            if status in {None, room.status}
            and game_type in {None, room.game_type}
            and state in {None, room.shown_state or room.phase}
        ]
        page = matches[:limit]
        return RoomList(
            rooms=tuple(room_summary(room) for room in page),
            next=page[-1].room_id if len(matches) > limit else None,
        )

    async def archived_rooms(self, *, after: str | None = None, limit: int) -> RoomList:
        """Return a page of the archived rooms after the id `after`, the last archived first.

        Raises StoreFailed.
        """
        rooms = await self._store.retention.archived_rooms(after, limit + 1)
        page = rooms[:limit]
        return RoomList(
            rooms=tuple(room_summary(room) for room in page),
            next=page[-1].room_id if len(rooms) > limit else None,
        )

    def tables(self) -> TableList:
        """Return the announced tables, then tables that only a room refers to."""
        in_use = {
            base_url(room.table_card_url): room
            for room in self._store.rooms()
            if room.table_card_url and room.phase not in {"closed", "failed"}
        }
        lines = []
        for card_url, lives in self._fleet.announced():
            room = in_use.pop(base_url(card_url), None)
            lines.append(_line(card_url, room, lives=lives))
        lines += [_line(room.table_card_url, room) for room in in_use.values()]
        return TableList(tables=tuple(lines))


def _line(card_url: str, room: Room | None, *, lives: bool | None = None) -> ListedTable:
    """Return a table's entry; `lives` is None for a table that was not announced."""
    is_away = room is not None and room.state in {AWAY, WAITING}
    is_launched = room is not None and room.is_launched
    return ListedTable(
        agent_card_url=card_url,
        source="launched" if is_launched else "named" if lives is None else "announced",
        health="away" if is_away else "silent" if lives is False else "ready",
        room_id=room.room_id if room else None,
        table_id=room.table_id if room else None,
    )
