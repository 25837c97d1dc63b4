"""Plays any game by its specification, one that was unknown when the player was started too.

It checks what it gets, chooses only from what is offered, and when it does not understand, or has
no time, it takes the default action itself rather than let the clock do it.
"""

import asyncio
from datetime import timedelta
from random import Random

from casino_contracts import GameActionRequest, GameActionResponse
from casino_gamespec import GameSpec, random_action

from casino_player_example.deadline import time_to_think
from casino_player_example.rulebook import Rulebook

_SHARE_FOR_READING = 0.5


class GenericPlayer:
    """Draws sensibly from the available actions; asked the same, it answers the same."""

    def __init__(self, rulebook: Rulebook, *, think: timedelta = timedelta()) -> None:
        self._rulebook = rulebook
        self._think = think.total_seconds()

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        """Decide one turn, before the clock runs out."""
        seconds = time_to_think(request.deadline_ms).total_seconds()
        try:
            async with asyncio.timeout(seconds):
                spec = await self._rulebook.of(request, within=seconds * _SHARE_FOR_READING)
                if self._think:
                    await asyncio.sleep(self._think)
        except TimeoutError:
            return self._safe(request, "there is no time to think")
        if request.rejected is not None:
            return self._safe(request, "my first answer was refused")
        if faults := self._rulebook.faults(request, spec):
            return self._safe(request, f"the state is not as specified: {faults[0]}")
        return self._choose(request, spec)

    def _choose(self, request: GameActionRequest, spec: GameSpec | None) -> GameActionResponse:
        dice = Random(f"{request.table_id} {request.player_id} {request.request_id}")  # noqa: S311  a game, not a secret
        action = random_action(request.available_actions, dice)
        if spec is not None and (faults := spec.check_action(action)):
            return self._safe(request, f"what I drew is not as specified: {faults[0]}")
        return GameActionResponse(action=action)

    def _safe(self, request: GameActionRequest, why: str) -> GameActionResponse:
        return GameActionResponse(action=self._rulebook.default(request), reasoning=why)
