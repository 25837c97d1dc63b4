"""What a player knows of a game: its specification, read when the game is first met.

Without a lobby, or with one that cannot help, a player plays on by what is offered; it says so
once per game, not at every question.
"""

import asyncio
from typing import Any

import structlog
from casino_contracts import GameActionRequest
from casino_gamespec import Fault, GameSpec, GameSpecError, Specifications, default_action

logger = structlog.get_logger(__name__)

_TOLD = 256


class Rulebook:
    """The specifications of a process's players; without any, by availableActions alone."""

    def __init__(self, specifications: Specifications | None) -> None:
        self._specifications = specifications
        self._told: set[tuple[str, ...]] = set()

    async def of(self, request: GameActionRequest, *, within: float) -> GameSpec | None:
        """Return what describes a question; None where it cannot be had within these seconds.

        A fetch that takes longer goes on for the questions to come.
        """
        name = (request.game_type, request.spec_version)
        if self._specifications is None:
            self._tell("no_lobby_to_ask", "CASINO_PLAYER_LOBBY_URL is not set")
            return None
        try:
            async with asyncio.timeout(within):
                return await self._specifications.find(*name)
        except TimeoutError:
            self._tell("specification_late", f"not within {within:.1f} s", *name)
        except GameSpecError as error:
            self._tell("specification_missing", str(error), *name)
        return None

    def faults(self, request: GameActionRequest, spec: GameSpec | None) -> tuple[Fault, ...]:
        """Return where a question's state is not as specified, () without a specification."""
        found = spec.check_state(request.state) if spec is not None else ()
        if found:
            why = "; ".join(map(str, found[:3]))
            self._tell("state_not_as_specified", why, request.game_type, request.spec_version)
        return found

    def default(self, request: GameActionRequest) -> dict[str, Any]:
        """Return the safe action, by the specification as far as it is in memory."""
        spec = None
        if self._specifications is not None:
            try:
                spec = self._specifications.held(request.game_type, request.spec_version)
            except GameSpecError:
                spec = None
        named = spec.about.default_timeout_action if spec is not None else None
        return default_action(request.available_actions, named)

    def _tell(self, event: str, why: str, *game: str) -> None:
        key = (event, *(word[:100] for word in game))
        if key in self._told or len(self._told) >= _TOLD:
            return
        self._told.add(key)
        logger.warning(event, game=key[1:], why=why)
