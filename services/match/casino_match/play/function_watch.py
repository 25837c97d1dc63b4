"""Watch functions that may never return: the match is suspended, with the name of the function.

The block is played in a thread. A function that takes longer than the clock and the plan's patience
is left to itself, and an exception is raised in it, which ends a loop of Python.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from casino_play.bot_file import abandon

from casino_match.domain.plan import Plan
from casino_match.errors import MatchSuspended
from casino_match.players.match_player import Player

ResultT = TypeVar("ResultT")
Now = Callable[[], float]

_LOOKS: Final = 4
"""How often it is looked within the limit."""
_LONGEST_PAUSE_S: Final = 1.0


def watched(
    play: Callable[[], ResultT], players: Sequence[Player], plan: Plan, now: Now = time.monotonic
) -> ResultT:
    """Return or raise what `play` does; raises MatchSuspended after the clock and the patience."""
    limit_s = (plan.rules.clock + plan.faults.patience).total_seconds()
    results: list[ResultT] = []
    errors: list[BaseException] = []
    is_over = threading.Event()

    def run() -> None:
        try:
            results.append(play())
        except BaseException as error:  # noqa: BLE001  raised again below
            errors.append(error)
        finally:
            is_over.set()

    thread = threading.Thread(target=run, name="block", daemon=True)
    thread.start()
    try:
        while not is_over.wait(min(limit_s / _LOOKS, _LONGEST_PAUSE_S)):
            _check_time(players, limit_s, now)
    except BaseException:
        threading.Thread(target=abandon, args=(thread,), name="ending", daemon=True).start()
        raise
    if errors:
        raise errors[0]
    return results[0]


def _check_time(players: Sequence[Player], limit_s: float, now: Now) -> None:
    for player in players:
        since = player.busy_since
        if since is not None and (took_s := now() - since) > limit_s:
            raise MatchSuspended(
                f"{player.name} has not returned for {took_s:.3g} s, in {player.place}: look for a"
                " loop or a wait without end. The same command goes on with the match: the block"
                " that was being played is played anew"
            )
