"""The progress of a match: a bar on a terminal, lines of JSON, or nothing in a pipe."""

from collections.abc import Callable
from typing import Any, Protocol, Self

from casino_match.run.match_run import RunProgress
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from casino.match.result_text import cut, rate
from casino.output import Output

_SECONDS_BETWEEN_LINES = 1.0
_LEAST_SECONDS = 0.5
"""A rate of hands is shown once so much time has passed."""
_NAME_WIDTH = 8


class Display(Protocol):
    """Shows how far a match is."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def show(self, progress: RunProgress) -> None:
        """Show the progress."""


class Bar:
    """A bar with decks, hands per second, the remaining time, and the interval as it narrows.

    The interval is that of how much more the first player wins than the second.
    """

    def __init__(
        self, console: Console, names: tuple[str, ...], hands_per_deck: int,
        now: Callable[[], float],
    ) -> None:  # fmt: skip
        self._hands_per_deck = hands_per_deck
        self._now = now
        self._began = now()
        self._first = cut(names[0], _NAME_WIDTH)
        self._bar = Progress(
            BarColumn(bar_width=8),
            MofNCompleteColumn(),
            TextColumn("decks {task.fields[speed]}", markup=False),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[estimate]}", markup=False),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("match", total=None, speed="", estimate="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, progress: RunProgress) -> None:
        """Show the progress."""
        seconds = self._now() - self._began
        hands = progress.played * self._hands_per_deck
        speed = f"{hands / seconds:,.0f} hands/s" if hands and seconds > _LEAST_SECONDS else ""
        self._bar.update(
            self._task,
            completed=progress.decks,
            total=progress.of,
            speed=speed,
            estimate=self._estimate(progress),
        )

    def _estimate(self, progress: RunProgress) -> str:
        seen = progress.seen
        if seen is None or seen.half_width is None:
            return ""
        return f"{self._first} {rate(seen.bb_per_100)} ± {seen.half_width:.1f} bb/100"


class Lines:
    """One JSON object about once a second, and the last."""

    def __init__(self, output: Output, now: Callable[[], float]) -> None:
        self._output = output
        self._now = now
        self._next = now()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, progress: RunProgress) -> None:
        """Write the progress, unless a line was written shortly before."""
        if self._now() < self._next and progress.decks < progress.of:
            return
        self._next = self._now() + _SECONDS_BETWEEN_LINES
        line: dict[str, Any] = {"event": "progress", "decks": progress.decks, "of": progress.of}
        if progress.seen is not None:
            line["bbPer100"] = progress.seen.bb_per_100
            line["halfInterval95"] = progress.seen.half_width
        self._output.json(line)


class Silence:
    """Shows nothing: the result alone is written to a pipe."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, progress: RunProgress) -> None:
        """Show nothing."""
