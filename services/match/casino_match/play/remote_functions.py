"""Ask functions beside the event loop, each hand with random numbers of its own."""

import asyncio
import random
import sys
from typing import Any

from casino_play.hand_questions import HandQuestions

from casino_match.domain.plan import Plan
from casino_match.errors import MatchSuspended
from casino_match.play.function_watch import watched
from casino_match.play.match_hand import dice_seed, seed_generators
from casino_match.players.match_player import Decided, HandPlace, Player
from casino_match.players.remote_calls import beside_loop


class HandDice:
    """The random numbers of one hand, which is played while others are."""

    def __init__(self, plan: Plan, deck: int) -> None:
        self._seed = dice_seed(plan.deal.seed, deck)
        self._states: tuple[Any, Any] | None = None

    def resume(self) -> None:
        """Let the generators of the process go on where this hand left them."""
        if self._states is None:
            seed_generators(self._seed)
            return
        own, of_numpy = self._states
        random.setstate(own)
        numpy = sys.modules.get("numpy")
        if numpy is not None and of_numpy is not None:
            numpy.random.set_state(of_numpy)

    def leave(self) -> None:
        """Keep where the generators are."""
        numpy = sys.modules.get("numpy")
        self._states = random.getstate(), None if numpy is None else numpy.random.get_state()


class LocalPlayers:
    """Asks the players of this process, one after the other."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._asking = asyncio.Lock()
        self._has_failed = False

    async def decide(
        self, player: Player, fields: HandQuestions, place: HandPlace, dice: HandDice
    ) -> Decided:
        """Return a player's decision; a function is called in a thread, and watched.

        Raises PlayerWrong, and MatchSuspended if a function does not return. After an error nobody
        is asked again: the hands that wait for their turn end with MatchSuspended.
        """
        if not player.runs_code:
            player.begin_hand(place)
            return player.decide(fields)

        def ask() -> Decided:
            player.begin_hand(place)
            dice.resume()
            try:
                decided = player.decide(fields)
            except Exception:
                raise
            except BaseException:
                player.end_block()  # it was left to itself, and nobody else does
                raise
            dice.leave()
            return decided

        async with self._asking:
            if self._has_failed:
                raise MatchSuspended("a hand at the same time was not played to its end")
            try:
                return await beside_loop(lambda: watched(ask, (player,), self._plan))
            except BaseException:
                self._has_failed = True  # the function may still be running
                raise
