"""How calls of players wait: some at a time, beside the loop, and until the patience is over."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Thread
from typing import NamedTuple, TypeVar

from casino_agentkit.process.background_tasks import Backoff
from casino_contracts import Defaulted

from casino_match.errors import MatchSuspended

_BACKOFF = Backoff(first_s=0.25, slowest_s=5.0)

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


class Pause(NamedTuple):
    """A wait for a player, for whoever follows the match."""

    name: str
    """Of the player."""
    why: str
    since_s: float
    """Seconds since its first missing answer."""
    wait_s: float
    """After which it is asked again; 0 if the wait is over."""

    @property
    def is_over(self) -> bool:
        """Whether the player has answered."""
        return not self.wait_s


OnPause = Callable[[Pause], None]


def unseen(_: Pause) -> None:
    """Follow no pause."""


def only_a_default(defaulted: Defaulted) -> str:
    """Return why a default is no answer, for a pause."""
    return f"only a default, {defaulted.text}"


class RetryWait:
    """The waits for one answer of one player; they begin with the first `next_s`."""

    def __init__(
        self, name: str, place: str, limit: timedelta, now: Callable[[], float], on_pause: OnPause
    ) -> None:
        """Count by `now`, in seconds; `place` is the agent's address, or a function's file."""
        self._name = name
        self._place = place
        self._limit_s = limit.total_seconds()
        self._now = now
        self._on_pause = on_pause
        self._began: float | None = None
        self._failures = 0

    def next_s(self, why: str, retry_after_s: float | None = None) -> float:
        """Return the seconds to wait now; raises MatchSuspended if patience ends before."""
        now = self._now()
        if self._began is None:
            self._began = now
        self._failures += 1
        since_s = now - self._began
        wait_s = max(_BACKOFF.pause_s(self._failures), retry_after_s or 0.0)
        if since_s + wait_s > self._limit_s:
            raise MatchSuspended(self._suspended(why, since_s, retry_after_s))
        self._on_pause(Pause(self._name, why, since_s, wait_s))
        return wait_s

    def over(self) -> None:
        """Note that there is an answer."""
        if self._began is not None:
            self._on_pause(Pause(self._name, "it answers", self._now() - self._began, 0.0))

    def _suspended(self, why: str, since_s: float, retry_after_s: float | None) -> str:
        later = f", and asks for {retry_after_s:.0f} s of rest" if retry_after_s else ""
        return (
            f"{self._name} at {self._place} has given no answer for {since_s:.0f} s"
            f"{later}: {why}. Nothing was decided in its place. When it answers again, run the same"
            f" command: the match goes on with the block that it was in. The patience of"
            f" {self._limit_s:.0f} s is faults.patience of the plan; with"
            ' faults.no_answer = "default", a new match counts missing answers as check or fold'
        )


async def gather_limited(
    course_of: Callable[[ItemT], Awaitable[ResultT]], items: Iterable[ItemT], at_once: int
) -> list[ResultT]:
    """Return the results in order; the first error ends all others, and is raised as it is."""
    places = asyncio.Semaphore(at_once)

    async def run(item: ItemT) -> ResultT:
        async with places:
            return await course_of(item)

    tasks = [asyncio.create_task(run(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def beside_loop(call: Callable[[], ResultT]) -> ResultT:
    """Call a function in a thread for which nobody waits when the program ends."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[ResultT] = loop.create_future()

    def settle(settled: Callable[[], None]) -> None:
        if not result.done():  # cancelled
            settled()

    def run() -> None:
        settled: Callable[[], None]
        try:
            settled = partial(result.set_result, call())
        except BaseException as error:  # noqa: BLE001  raised where it is awaited
            settled = partial(result.set_exception, error)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, settled)

    Thread(target=run, name="match", daemon=True).start()
    return await result
