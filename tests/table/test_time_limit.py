"""Calls into third parties' games end in time."""

import threading
from datetime import timedelta

import pytest
from casino_table.time_limit import TimeLimit
from support.processes import LEAVES_A_WAITING_THREAD, eventually

# What ends a thread may come in a finalizer, which ignores it; then it comes again.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SHORT = timedelta(milliseconds=50)
LONG_ENOUGH_TO_BEGIN = timedelta(seconds=1)
"""The thread of a call is within the call, also on a busy machine."""


def test_a_result_and_an_exception_come_back() -> None:
    limit = TimeLimit()
    assert limit(lambda: 7) == 7
    with pytest.raises(KeyError, match="what it says"):
        limit(lambda: {"a": 1}["what it says"])
    with pytest.raises(SystemExit):
        limit(lambda: exit_with(3))


def test_what_a_game_prints_is_kept_from_the_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The supervisor reads one line of it, and a full pipe would stop the game."""
    TimeLimit()(lambda: print("rolled a six"))  # noqa: T201  as a game does
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "rolled a six\n")


def exit_with(code: int) -> None:
    """End the process, as a game's code may do."""
    raise SystemExit(code)


async def test_a_call_that_never_returns_is_ended() -> None:
    """It raises in time, and its thread does not run on."""
    before = threading.active_count()

    def forever() -> None:
        while True:
            pass

    with pytest.raises(TimeoutError):
        TimeLimit(SHORT)(forever)

    async def is_ended() -> bool:
        return threading.active_count() <= before

    await eventually(is_ended)


async def test_a_call_that_loses_the_exception_once_is_ended() -> None:
    """As where it comes in a finalizer, whose exceptions Python ignores."""
    lost, ended = threading.Event(), threading.Event()

    def forever() -> None:
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001  as Python does
            lost.set()
        try:
            while True:
                pass
        finally:
            ended.set()

    with pytest.raises(TimeoutError):
        TimeLimit(LONG_ENOUGH_TO_BEGIN)(forever)

    async def is_ended() -> bool:
        return lost.is_set() and ended.is_set()

    await eventually(is_ended)


@LEAVES_A_WAITING_THREAD
def test_all_calls_together_have_a_limit_as_well() -> None:
    limit = TimeLimit(total=SHORT)
    never = threading.Event()
    with pytest.raises(TimeoutError):
        limit(never.wait)
    with pytest.raises(TimeoutError):
        limit(never.wait)
    never.set()
