"""The progress of a match on a terminal and as lines of JSON."""

import json
from io import StringIO

from casino.match.progress_bar import Bar, Lines
from casino.output import Output
from casino_match.results.reading import Progress
from casino_match.run.match_run import RunProgress
from rich.console import Console

NAMES = ("a name that is much too long", "equity")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def seen(half_width: float | None) -> Progress:
    """Return what 100 decks say."""
    return Progress(100, 12.34, half_width, None)


def test_the_bar_shows_the_interval_as_it_narrows() -> None:
    """With decks, hands per second, and the remaining time, in 80 columns."""
    paper, clock = StringIO(), Clock()
    console = Console(file=paper, width=80, force_terminal=True, color_system=None)
    with Bar(console, NAMES, 2, clock) as bar:
        bar.show(RunProgress(0, 0, 500_000, None))
        clock.now = 10.0
        bar.show(RunProgress(100_000, 100_000, 500_000, seen(5.678)))
    last = max(paper.getvalue().replace("\x1b", "\n").split("\n"), key=len).rstrip("\r")
    assert "100000/500000 decks 20,000 hands/s" in last
    assert last.endswith(" a name … +12.3 ± 5.7 bb/100")


def test_lines_come_once_a_second_and_at_the_end() -> None:
    """An interval that says nothing yet is null."""
    paper, clock = StringIO(), Clock()
    lines = Lines(Output(Console(file=paper)), clock)
    for at, decks in ((0.0, 0), (0.5, 100), (1.0, 200), (1.2, 300), (1.3, 400)):
        clock.now = at
        lines.show(RunProgress(decks, decks, 400, seen(None) if decks < 300 else seen(3.0)))
    written = [json.loads(line) for line in paper.getvalue().splitlines()]
    assert [line["decks"] for line in written] == [0, 200, 400]
    assert written[-1] == {
        "event": "progress", "decks": 400, "of": 400, "bbPer100": 12.34, "halfInterval95": 3.0,
    }  # fmt: skip
    assert written[1]["halfInterval95"] is None
