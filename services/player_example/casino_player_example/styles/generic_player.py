"""Style `generic`: plays any game by its specification.

The player validates each request and chooses among the available actions. If the request is invalid
or time runs out, it answers by default, and says so.
"""

import asyncio
from datetime import timedelta
from random import Random

from casino_contracts import Defaulted, GameActionRequest, GameActionResponse
from casino_gamespec import GameSpec, random_action

from casino_player_example.rulebook import Rulebook

_MIN_RESERVE_S, _MAX_RESERVE_S = 0.1, 1.5
_RESERVE_SHARE = 0.2
_SHARE_FOR_READING = 0.5


def time_to_think(deadline_ms: int) -> timedelta:
    """Return the time for a decision; a fifth, between 0.1 s and 1.5 s, is kept in reserve.

    >>> time_to_think(10_000)
    datetime.timedelta(seconds=8, microseconds=500000)
    """
    seconds = deadline_ms / 1000
    reserve = min(max(seconds * _RESERVE_SHARE, _MIN_RESERVE_S), _MAX_RESERVE_S)
    return timedelta(seconds=max(0.0, seconds - reserve))


class GenericPlayer:
    """Draws an available action; the same request gets the same answer."""

    def __init__(self, rulebook: Rulebook, *, think: timedelta = timedelta()) -> None:
        self._rulebook = rulebook
        self._think = think.total_seconds()

    async def act(self, request: GameActionRequest) -> GameActionResponse:
        seconds = time_to_think(request.deadline_ms).total_seconds()
        try:
            async with asyncio.timeout(seconds):
                spec = await self._rulebook.of(request, within=seconds * _SHARE_FOR_READING)
                if self._think:
                    await asyncio.sleep(self._think)
        except TimeoutError:
            return self._default(request, "timeout", "no time left for a decision")
        if request.rejected is not None:
            return self._default(request, "rejected", "the first answer was refused")
        if faults := self._rulebook.faults(request, spec):
            why = f"the state does not match the specification: {faults[0]}"
            return self._default(request, "state_invalid", why)
        return self._choose(request, spec)

    def _choose(self, request: GameActionRequest, spec: GameSpec | None) -> GameActionResponse:
        dice = Random(f"{request.table_id} {request.player_id} {request.request_id}")  # noqa: S311  a game, not a secret
        action = random_action(request.available_actions, dice)
        if spec is not None and (faults := spec.check_action(action)):
            why = f"an offer does not match the specification: {faults[0]}"
            return self._default(request, "state_invalid", why)
        return GameActionResponse(action=action)

    def _default(self, request: GameActionRequest, reason: str, why: str) -> GameActionResponse:
        return GameActionResponse(
            action=self._rulebook.default(request), defaulted=Defaulted(reason=reason, detail=why)
        )
