"""A function that never returns suspends the match, by name, and does not run on."""

import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from casino_match.errors import MatchSuspended
from casino_match.play.block import play_block
from casino_match.players.local import local_players
from support.match.plans import bot, plan_of
from support.processes import eventually

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
