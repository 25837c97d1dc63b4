"""Versions of the games' specifications, for states that no question came with."""

from collections.abc import Callable

from casino_agentkit.lru_dict import LruDict
from casino_lobby_client.errors import LobbyAway

from casino_gateway.seats.live_seat import LiveSeat
from casino_gateway.seats.seat_service import SeatService

_GAMES = 256
_FRESH_S = 60.0
_UNSPECIFIED = "0.0.0"
"""Of a game whose lobby serves no specification."""


class SpecificationVersions:
    """Reads a game's version from the lobby at most once a minute. `now` returns seconds."""

    def __init__(self, seats: SeatService, now: Callable[[], float]) -> None:
        self._seats = seats
        self._now = now
        self._versions = LruDict[str, tuple[str, float]](_GAMES)

    async def of(self, seat: LiveSeat) -> str:
        """Return the version of the seat's game: its table's own, else the lobby's.

        Raises LobbyAway if neither was ever known.
        """
        if seat.question is not None:
            return seat.question.spec_version
        if seat.spec_version is not None:
            return seat.spec_version
        game_type = seat.identity.game_type
        cached = self._versions.get(game_type)
        if cached is not None and self._now() < cached[1]:
            return cached[0]
        try:
            specification = await self._seats.specification(game_type)
        except LobbyAway:
            if cached is None:
                raise
            return cached[0]
        version = specification[1] if specification else _UNSPECIFIED
        self._versions.put(game_type, (version, self._now() + _FRESH_S))
        return version
