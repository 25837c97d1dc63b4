"""Functions of a match with agents are asked one after the other, and not after an error."""

import asyncio
from typing import cast

from casino_match.errors import MatchSuspended, PlayerWrong
from casino_match.play.remote_functions import HandDice, LocalPlayers
from casino_match.players.player import NOWHERE, Decided, Place
from casino_play.holdem_fields import HoldemFields
from support.match.plans import plan_of

ANY_QUESTION = cast("HoldemFields", None)


class Wrong:
    """A player whose answers are wrong; it counts its questions."""

    name = "wrong"
    runs_code = True
    busy_since: float | None = None
    place = NOWHERE
    asked = 0

    def begin_block(self, seatings: int) -> None:
        """Forget nothing."""

    def begin_hand(self, place: Place) -> None:
        """Note nothing."""

    def decide(self, question: HoldemFields) -> Decided:
        """Count the question, and raise PlayerWrong."""
        del question
        self.asked += 1
        raise PlayerWrong("p0 answered wrongly")

    def end_block(self) -> None:
        """Release nothing."""


async def test_after_an_error_no_waiting_hand_asks() -> None:
    """The function may still be running, so that it must not be called again."""
    plan, player = plan_of(["style:caller", "style:caller"]), Wrong()
    players = LocalPlayers(plan)
    ends = await asyncio.gather(
        *(
            players.decide(player, ANY_QUESTION, Place(deck, 0), HandDice(plan, deck))
            for deck in range(3)
        ),
        return_exceptions=True,
    )
    assert [type(end) for end in ends] == [PlayerWrong, MatchSuspended, MatchSuspended]
    assert player.asked == 1
