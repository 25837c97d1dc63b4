"""The lobby as a gateway shows it to everybody: the rooms whose seats are open."""

from casino_contracts import RegisteredPlayer, RoomSnapshot, RoomSummary
from casino_seats.errors import UnknownRoom
from casino_seats.lobby_client import LobbyClient


class OpenRooms(LobbyClient):
    """The lobby's REST API, without the rooms whose seats are for the invited.

    The lobby refuses such seats itself where it has an operator's key; without one it takes every
    caller for the operator, and the gateway's callers are not.
    """

    async def rooms(self) -> list[RoomSummary]:
        """Return the open rooms, oldest first."""
        return [room for room in await super().rooms() if room.seats != "invited"]

    async def room(self, room_id: str) -> RoomSnapshot:
        """Return a room in full; raises UnknownRoom for one whose seats are not open."""
        room = await super().room(room_id)
        if room.seats == "invited":
            raise UnknownRoom(f"The lobby has no room {room_id} whose seats are open.")
        return room

    async def register(
        self, room_id: str, card_url: str, *, key: str, preferred_seat: int | None = None
    ) -> RegisteredPlayer:
        """Seat the agent of a card; with the same `key` again the same seat. Raises SeatRefused."""
        await self.room(room_id)
        return await super().register(room_id, card_url, key=key, preferred_seat=preferred_seat)
