"""What `casino up` prints of third parties' names, and of amounts."""

import json
from io import StringIO

from casino.up.report import Report, results_document
from casino.up.score import Hand, PlayerScore, Score
from rich.console import Console

HOSTILE = "\x1b[2J[red]Bob[/red]\u202e"


def test_a_third_party_s_name_is_printed_as_text() -> None:
    """Escape sequences and markup have no effect, in lines and in the table."""
    written = StringIO()
    report = Report(as_json=False, console=Console(file=written, width=120, soft_wrap=True))
    report.say(f"seat 0   {HOSTILE}")
    report.trouble(f"{HOSTILE} ended", (HOSTILE,))
    report.hand(Hand(1, 12_345_678.05, ("As",), {}, f"{HOSTILE} wins"))
    score = Score()
    score.players["p1"] = PlayerScore("p1", HOSTILE, bought=200, stack=200.25)
    report.results(score)
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


def test_guests_are_listed_apart() -> None:
    """Behind the ranking, however much they won, and in JSON under a name of their own."""
    score = Score()
    score.players["p1"] = PlayerScore("p1", "Bob", bought=200, stack=100)
    score.players["p2"] = PlayerScore("p2", "Ada", bought=200, stack=350, is_guest=True)
    score.players["p3"] = PlayerScore("p3", "Eve", bought=200, stack=150)
    written = StringIO()
    Report(as_json=False, console=Console(file=written, width=120)).results(score)
    text = written.getvalue()
    assert text.index("Eve") < text.index("Bob") < text.index("Ada (guest)")
    assert "every chip is there" in text
    written = StringIO()
    Report(as_json=True, console=Console(file=written, width=400, soft_wrap=True)).results(score)
    line = json.loads(written.getvalue())
    assert [player["name"] for player in line["players"]] == ["Bob", "Eve"]
    assert [player["name"] for player in line["guests"]] == ["Ada"]


def test_three_hands_say_nothing_about_the_rate() -> None:
    """No ± 0 and no ± inf, neither in the table nor in JSON."""
    score = Score(big_blind=2)
    bob = score.players["p1"] = PlayerScore("p1", "Bob", bought=200, stack=194)
    for _ in range(3):
        bob.rate.add(-1)
    written = StringIO()
    Report(as_json=False, console=Console(file=written, width=120)).results(score)
    assert "-100" in written.getvalue()
    assert "says nothing yet" in written.getvalue()
    assert "inf" not in written.getvalue()
    written = StringIO()
    Report(as_json=True, console=Console(file=written, width=400, soft_wrap=True)).results(score)
    (player,) = json.loads(written.getvalue())["players"]
    assert (player["bbPer100"], player["halfInterval95"]) == (-100, None)


def test_the_biggest_hand_has_a_link_while_the_page_is_there() -> None:
    """In JSON it is a number."""
    score = Score(big_blind=2)
    score.biggest = Hand(17, 803.5, (), {"p1": 400}, "Ada wins 803.5")
    written = StringIO()
    report = Report(as_json=False, console=Console(file=written, width=120))
    report.results(score, "http://127.0.0.1:4000/rooms/main")
    report.results(score)
    lines = [line.rstrip() for line in written.getvalue().splitlines() if "biggest" in line]
    link = "http://127.0.0.1:4000/rooms/main/hands/17"
    assert lines == [f"biggest  hand 17, pot 803.5   {link}", "biggest  hand 17, pot 803.5"]
    assert results_document(score)["biggestHand"] == 17
    assert results_document(Score())["biggestHand"] is None
