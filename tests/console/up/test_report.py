"""What `casino up` prints of strangers, and of amounts."""

import json
from io import StringIO

from casino.up.report import Report
from casino.up.score import Hand, PlayerScore, Score
from rich.console import Console

HOSTILE = "\x1b[2J[red]Bob[/red]\u202e"


def test_a_strangers_name_is_only_read() -> None:
    """Neither as an escape sequence nor as markup, in lines and in the table."""
    written = StringIO()
    report = Report(as_json=False, console=Console(file=written, width=120, soft_wrap=True))
    report.say(f"seat 0   {HOSTILE}")
    report.trouble(f"{HOSTILE} ended", (HOSTILE,))
    report.hand(Hand(1, 12_345_678.05, ("As",), {}, f"{HOSTILE} wins"))
    score = Score()
    score.players["p1"] = PlayerScore("p1", HOSTILE, bought=200, stack=200.25)
    report.results(score, 2)
    text = written.getvalue()
    assert not {one for one in text if not one.isprintable()} - {"\n"}
    assert text.count("[red]Bob[/red]") == 5
    assert "12345678.05" in text
    assert "+0.25" in text


def test_a_hand_in_json_has_its_message_under_the_old_name_too() -> None:
    """`told` is deprecated."""
    written = StringIO()
    report = Report(as_json=True, console=Console(file=written, width=120, soft_wrap=True))
    report.hand(Hand(1, 4, (), {"p1": 4}, "Bob wins 4"))
    line = json.loads(written.getvalue())
    assert line["message"] == line["told"] == "Bob wins 4"
