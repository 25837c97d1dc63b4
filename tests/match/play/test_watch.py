"""A function that never returns suspends the match, by name, and does not run on."""

import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from casino_match.errors import MatchSuspended
from casino_match.play.block import play_block
from casino_match.players.local import local_players
from match.short_plans import bot, plan_of
from support.processes import eventually

RULES: dict[str, Any] = {"rules": {"clock": "PT0.1S"}, "faults": {"patience": "PT0.2S"}}


def blocks_running() -> list[threading.Thread]:
    """Return the threads in which blocks are played."""
    return [thread for thread in threading.enumerate() if thread.name == "block"]


async def test_a_loop_without_end_is_ended(tmp_path: Path) -> None:
    """Its thread ends too, so that it takes no more time."""
    plan = plan_of([bot(tmp_path, "while True:\n    pass"), "style:caller"], 2, **RULES)
    with pytest.raises(
        MatchSuspended, match=r"p0 has not returned for \d+ s, in deck 0, seating 0"
    ):
        play_block(plan, 0, local_players(plan))

    async def is_ended() -> bool:
        return not blocks_running()

    await eventually(is_ended)


async def test_a_wait_without_end_does_not_hold_the_match(tmp_path: Path) -> None:
    """It is inside the interpreter, where nothing can be raised: the thread is left to itself."""
    (tmp_path / "gates_of_a_bot.py").write_text("import threading\nGATE = threading.Event()\n")
    waiting = bot(tmp_path, "GATE.wait()", head="from gates_of_a_bot import GATE\ndef act(turn):")
    plan = plan_of(["style:caller", waiting], 2, **RULES)
    with pytest.raises(MatchSuspended, match="p1 has not returned"):
        play_block(plan, 0, local_players(plan))
    assert blocks_running()
    sys.modules["gates_of_a_bot"].GATE.set()

    async def is_ended() -> bool:
        return not blocks_running()

    await eventually(is_ended)
