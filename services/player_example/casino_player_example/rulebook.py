"""Access to game specifications, fetched from the lobby on first use.

Without a specification a player uses the available actions alone. Each problem is logged once per
game.
"""

import asyncio
from typing import Any

import structlog
from casino_contracts import GameActionRequest
from casino_gamespec import Fault, GameSpec, GameSpecError, Specifications, default_action

logger = structlog.get_logger(__name__)

_MAX_LOGGED = 256


class Rulebook:
    """The specifications shared by a process's players; None means there is no lobby to ask."""

    def __init__(self, specifications: Specifications | None) -> None:
        self._specifications = specifications
        self._logged: set[tuple[str, ...]] = set()

    async def of(self, request: GameActionRequest, *, within: float) -> GameSpec | None:
        """Return the specification for a request, or None if it is not available in `within` s.

        A slower fetch continues for later requests.
        """
        name = (request.game_type, request.spec_version)
        if self._specifications is None:
            self._warn("no_lobby_url", "CASINO_PLAYER_LOBBY_URL is not set")
            return None
        try:
            async with asyncio.timeout(within):
                return await self._specifications.find(*name)
        except TimeoutError:
            self._warn("specification_late", f"not within {within:.1f} s", *name)
        except GameSpecError as error:
            self._warn("specification_missing", str(error), *name)
        return None

    def faults(self, request: GameActionRequest, spec: GameSpec | None) -> tuple[Fault, ...]:
        """Return the faults of a request's state, () without a specification."""
        faults = spec.check_state(request.state) if spec is not None else ()
        if faults:
            why = "; ".join(map(str, faults[:3]))
            self._warn("state_invalid", why, request.game_type, request.spec_version)
        return faults

    def default(self, request: GameActionRequest) -> dict[str, Any]:
        """Return the default action, from the specification if it is in memory."""
        spec = None
        if self._specifications is not None:
            try:
                spec = self._specifications.held(request.game_type, request.spec_version)
            except GameSpecError:
                spec = None
        preferred = spec.about.default_timeout_action if spec is not None else None
        return default_action(request.available_actions, preferred)

    def _warn(self, event: str, why: str, *game: str) -> None:
        key = (event, *(word[:100] for word in game))
        if key in self._logged or len(self._logged) >= _MAX_LOGGED:
            return
        self._logged.add(key)
        logger.warning(event, game=key[1:], why=why)
