"""What a terminal of 80 columns shows of a match: its progress and its result."""

import json
from io import StringIO

import pytest
from casino.match_text import Bar, Lines, write_result
from casino.output import Output
from casino_contracts.match_results import MatchResult
from casino_match.results.running_result import ResultProgress
from casino_match.run.match_run import RunProgress
from rich.console import Console
from support.matches.results import match_result

STRANGE = "[red]\u202eevil\u2028" + "x" * 40
WIDTH = 80


def written(result: MatchResult, width: int = WIDTH) -> str:
    paper = StringIO()
    console = Console(
        file=paper, width=width, force_terminal=True, color_system=None, highlight=False
    )
    write_result(Output(console), result)
    return paper.getvalue()


def tables_of(text: str) -> list[str]:
    """Return the lines but for sentences, which a terminal wraps, and digests."""
    return [
        line.rstrip()
        for line in text.splitlines()
        if not line.startswith(("plan ", "result ")) and not line.endswith(".")
    ]


def test_both_intervals_of_each_estimator_are_shown() -> None:
    """Plain, without the luck of all-ins, without that of the cards."""
    result = match_result()
    text = written(result)
    for player in result.players:
        for estimate in player.estimates:
            assert estimate.normal is not None
            assert estimate.bootstrap is not None
            assert f"{estimate.bb_per_100:+.1f}" in text
            for interval in (estimate.normal, estimate.bootstrap):
                assert f"{interval.low:+.1f} to {interval.high:+.1f}" in text
    assert result.pairs[0].sentence in text
    assert f"result {result.digest}" in text


@pytest.mark.parametrize("names", [("equity", "tight"), tuple("abcdef"), (STRANGE, "b\u200bc")])
def test_no_table_is_wider_than_80_columns(names: tuple[str, ...]) -> None:
    lines = tables_of(written(match_result(names)))
    assert max(map(len, lines)) <= WIDTH
    assert lines[2].split() == [
        "player", "estimate", "bb/100", "95", "%", "normal", "95", "%", "bootstrap", "saves",
    ]  # fmt: skip
    headings = [line.split()[:2] for line in lines if line.startswith("player")]
    assert headings[:3] == [["player", "estimate"], ["player", "VPIP"], ["player", "net"]]
    assert (["player", "against"] in headings) == (len(names) > 2)


def test_names_are_text() -> None:
    """No character that moves the others, no markup, and cut."""
    text = written(match_result((STRANGE, "b")))
    assert "\u202e" not in text
    assert "\u2028" not in text
    assert "[red] evil xxxx…" in text


def test_what_is_not_complete_is_marked() -> None:
    result = match_result(decks=20).model_copy(update={"is_complete": False})
    assert written(result).splitlines()[0] == "match: 40 hands, 20 decks, 2 players, so far"


NAMES = ("a name that is much too long", "equity")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def seen(half_width: float | None) -> ResultProgress:
    return ResultProgress(100, 12.34, half_width, None)


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
