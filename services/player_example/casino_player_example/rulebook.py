"""Access to game specifications, fetched from the lobby before a player takes a seat.

A player that has a lobby to ask takes no seat without the specification of the room's game. Where
it lacks one nevertheless (no lobby, or a newer version since), it uses the available actions alone.
Each problem is logged once per game.
"""

import asyncio
from datetime import timedelta
from typing import Any

import structlog
from casino_agentkit import CommandRefused
from casino_contracts import GameActionRequest, Reason
from casino_gamespec import GameSpec, GameSpecError, SchemaFault, Specifications, default_action

_MAX_LOGGED = 256
_MAX_WHY = 500

logger = structlog.get_logger(__name__)


class Rulebook:
    """The specifications shared by a process's players; None means there is no lobby to ask.

    `patience` bounds the reading before a seat is taken.
    """

    def __init__(
        self, specifications: Specifications | None, patience: timedelta = timedelta(seconds=8)
    ) -> None:
        self._specifications = specifications
        self.patience = patience
        self._logged: set[tuple[str, ...]] = set()

    async def prepare(self, game_type: str) -> None:
        """Read the specification of a game that is about to be played; nothing without a lobby.

        A slower fetch continues, for the next invitation.
        Raises CommandRefused: SPECIFICATION_UNAVAILABLE.
        """
        if self._specifications is None:
            self._warn("no_lobby_url", "CASINO_PLAYER_LOBBY_URL is not set")
            return
        try:
            async with asyncio.timeout(self.patience.total_seconds()):
                self._check(await self._specifications.current(game_type))
        except TimeoutError:
            why = f"its lobby did not send it within {self.patience.total_seconds():g} s"
        except GameSpecError as error:
            why = "".join(letter for letter in str(error)[:_MAX_WHY] if letter.isprintable())
        else:
            return
        self._warn("seat_refused", why, game_type)
        raise CommandRefused(
            Reason.SPECIFICATION_UNAVAILABLE,
            f"This player reads a game's specification before it plays; {game_type:.100}: {why}",
        )

    async def of(self, request: GameActionRequest, *, within: float) -> GameSpec | None:
        """Return it, or None if not there in `within` s; the fetch goes on for later requests."""
        return await self.of_version(request.game_type, request.spec_version, within=within)

    async def of_version(self, game_type: str, version: str, *, within: float) -> GameSpec | None:
        """Return the specification of messages of a version, None as `of`."""
        name = (game_type, version)
        if self._specifications is None:
            self._warn("no_lobby_url", "CASINO_PLAYER_LOBBY_URL is not set")
            return None
        try:
            async with asyncio.timeout(within):
                return self._check(await self._specifications.find(*name))
        except TimeoutError:
            self._warn("specification_late", f"not within {within:.1f} s", *name)
        except GameSpecError as error:
            self._warn("specification_missing", str(error), *name)
        return None

    def faults(self, request: GameActionRequest, spec: GameSpec | None) -> tuple[SchemaFault, ...]:
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

    def _check(self, spec: GameSpec) -> GameSpec:
        """Return a specification; log what is read otherwise than written."""
        if spec.warnings:
            why = "; ".join(spec.warnings)
            self._warn("later_dialect", why, spec.game_type, str(spec.version))
        return spec

    def _warn(self, event: str, why: str, *game: str) -> None:
        key = (event, *(word[:100] for word in game))
        if key in self._logged or len(self._logged) >= _MAX_LOGGED:
            return
        self._logged.add(key)
        logger.warning(event, game=key[1:], why=why)
