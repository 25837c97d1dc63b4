"""A function that never returns suspends the match, by name; after an error it is not asked."""

import asyncio
import sys
import threading
from pathlib import Path
from typing import Any, cast

import pytest
from casino_match.errors import MatchSuspended, PlayerWrong
from casino_match.play.played_block import play_block
from casino_match.play.remote_block import HandDice, LocalPlayers
from casino_match.players.local_players import local_players
from casino_match.players.match_player import NOWHERE, Decided, HandPlace
from casino_play.hand_questions import HandQuestions
from support.match.plans import bot, plan_of
from support.processes import LEAVES_A_WAITING_THREAD, eventually

RULES: dict[str, Any] = {"rules": {"clock": "PT0.1S"}, "faults": {"patience": "PT0.2S"}}


async def ended(before: set[threading.Thread]) -> None:
    """Wait until the threads that are not of `before` have ended."""

    async def is_ended() -> bool:
        return not {*threading.enumerate()} - before

    await eventually(is_ended)


@pytest.mark.parametrize("head", ["def act(turn):", "async def act(turn):"])
@pytest.mark.parametrize("body", ["pass", "try:\n    raise KeyError\nexcept BaseException: pass"])
async def test_a_loop_without_end_is_ended(tmp_path: Path, head: str, body: str) -> None:
    """Its thread ends too, so that it takes no more time."""
    before = {*threading.enumerate()}
    lines = "".join(f"\n    {line}" for line in body.splitlines())
    endless = bot(tmp_path, f"while True:{lines}", head=head)
    plan = plan_of([endless, "style:caller"], 2, **RULES)
    message = r"p0 has not returned for \S+ s, in deck 0, seating 0"
    with pytest.raises(MatchSuspended, match=message):
        play_block(plan, 0, local_players(plan))
    await ended(before)


@LEAVES_A_WAITING_THREAD
async def test_a_wait_without_end_does_not_hold_the_match(tmp_path: Path) -> None:
    """It is inside the interpreter, where nothing can be raised: the thread is left to itself."""
    before = {*threading.enumerate()}
    (tmp_path / "gates_of_a_bot.py").write_text("import threading\nGATE = threading.Event()\n")
    waiting = bot(tmp_path, "GATE.wait()", head="from gates_of_a_bot import GATE\ndef act(turn):")
    plan = plan_of(["style:caller", waiting], 2, **RULES)
    with pytest.raises(MatchSuspended, match="p1 has not returned"):
        play_block(plan, 0, local_players(plan))
    assert {*threading.enumerate()} - before
    sys.modules["gates_of_a_bot"].GATE.set()
    await ended(before)


ANY_QUESTION = cast("HandQuestions", None)


class Wrong:
    """A player whose answers are wrong; it counts its questions."""

    name = "wrong"
    runs_code = True
    busy_since: float | None = None
    place = NOWHERE
    asked = 0

    def begin_block(self, seatings: int) -> None:
        """Forget nothing."""

    def begin_hand(self, place: HandPlace) -> None:
        """Note nothing."""

    def decide(self, question: HandQuestions) -> Decided:
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
            players.decide(player, ANY_QUESTION, HandPlace(deck, 0), HandDice(plan, deck))
            for deck in range(3)
        ),
        return_exceptions=True,
    )
    assert [type(end) for end in ends] == [PlayerWrong, MatchSuspended, MatchSuspended]
    assert player.asked == 1
