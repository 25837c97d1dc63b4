"""The result of a match fits a terminal of 80 columns, whatever the players are called."""

from io import StringIO

import pytest
from casino.match.result_text import write_result
from casino.output import Output
from casino_contracts.matches.results import MatchResult
from rich.console import Console
from support.matches.results import match_result

STRANGE = "[red]\u202eevil\u2028" + "x" * 40
WIDTH = 80


def written(result: MatchResult, width: int = WIDTH) -> str:
    """Return what a terminal shows."""
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
    """Also with six players, whose pairs are a table."""
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
