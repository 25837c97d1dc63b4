"""Rooms of a model's own, against the casino's sample players."""

from contextlib import suppress
from datetime import timedelta
from typing import Final

from casino_agentkit.bounded_state import LruDict
from casino_contracts import RegisterPlayerInput, SampleBot
from casino_lobby_client.errors import CallFailed, CallRefused
from casino_lobby_client.lobby_client import LobbyClient

_KEPT: Final = 10_000
_MOST_OPPONENTS: Final = 9


class PracticeRooms:
    """Opens rooms that are full once their owner and its opponents sit, and closes them."""

    def __init__(self, lobby: LobbyClient, *, may_open: bool, clock: timedelta) -> None:
        self._lobby = lobby
        self._may_open = may_open
        self._clock_ms = round(clock.total_seconds() * 1000)
        self._opened = LruDict[str, str](_KEPT)
        """The rooms opened here, and the seat of each one's owner, "" until it is taken."""

    async def opponents(self, wanted: str) -> list[SampleBot]:
        """Return the sample players of a wish: names, or how many. Raises CallFailed."""
        if not self._may_open:
            raise CallRefused("NOT_ALLOWED", "This casino opens no rooms for its guests.", 403)
        offered = (await self._lobby.info()).sample_bots or ()
        by_name = {bot.name.casefold(): bot for bot in offered}
        names = [name.strip().casefold() for name in wanted.split(",") if name.strip()]
        if len(names) == 1 and names[0].isdecimal():
            names = list(by_name)[: int(names[0])]
        unknown = [name for name in names if name not in by_name]
        if unknown or not 1 <= len(names) <= _MOST_OPPONENTS:
            raise CallRefused(
                "UNKNOWN_OPPONENT",
                f"opponents must be 1 to {_MOST_OPPONENTS} names, or their number; there are:"
                f" {', '.join(by_name) or 'none'}.",
                422,
            )
        return [by_name[name] for name in names]

    async def open(self, game: str, hands: int, opponents: int) -> str:
        """Close rooms whose session is over, open one, and return its id. Raises CallFailed."""
        for listed in await self._lobby.open_rooms():
            if listed.status == "idle" and listed.hand_count:
                await self.close(listed.room_id)
        rules = (await self._lobby.info()).default_config.model_dump(mode="json", exclude_none=True)
        room = await self._lobby.create_room(
            {
                "gameType": game,
                "config": {
                    **rules,
                    "maxHands": hands,
                    "maxSeats": opponents + 1,
                    "maxActionTimeoutMs": max(self._clock_ms, rules["actionTimeoutMs"]),
                },
            }
        )
        self._opened.put(room.room_id, "")
        return room.room_id

    async def seat(self, room_id: str, opponents: list[SampleBot]) -> None:
        """Seat the opponents, who fill the room, so that it begins to play. Raises CallFailed."""
        for bot in opponents:
            await self._lobby.register(
                RegisterPlayerInput(room_id=room_id, agent_card_url=bot.agent_card_url)
            )

    def owned(self, room_id: str, seat_id: str) -> None:
        """Note whose room it is."""
        self._opened.put(room_id, seat_id)

    async def left(self, room_id: str, seat_id: str) -> None:
        """Close a room, after its running hand, whose owner has left; others stay open."""
        if self._opened.get(room_id) == seat_id:
            await self.close(room_id)

    async def close(self, room_id: str) -> None:
        """Close a room that was opened here, after its running hand; others stay open."""
        if self._opened.get(room_id) is not None:
            with suppress(CallFailed):  # it is closed already, or counts as the opener's
                await self._lobby.close_room(room_id)
