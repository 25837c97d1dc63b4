"""What `casino up` prints of third parties' names, and of amounts."""

import json
from io import StringIO

from casino.up.report import Report
from casino.up.score import Hand, PlayerScore, Score
from rich.console import Console

HOSTILE = "\x1b[2J[red]Bob[/red]\u202e"


def printed(
    score: Score, url: str | None = None, *, as_json: bool = False, hand: Hand | None = None
) -> str:
    """Return what is written of a hand and of the results."""
    written = StringIO()
    report = Report(as_json=as_json, console=Console(file=written, width=400, soft_wrap=True))
    if hand:
        report.hand(hand)
    report.results(score, url)
    return written.getvalue()


def with_players(*players: PlayerScore) -> Score:
    score = Score(big_blind=2)
    score.players.update({player.player_id: player for player in players})
    return score


def test_a_third_party_s_name_is_printed_as_text() -> None:
    """Escape sequences and markup have no effect, in lines and in the table."""
    written = StringIO()
    report = Report(as_json=False, console=Console(file=written, width=120, soft_wrap=True))
    report.say(f"seat 0   {HOSTILE}")
    report.trouble(f"{HOSTILE} ended", (HOSTILE,))
    report.hand(Hand(1, 12_345_678.05, ("As",), {}, f"{HOSTILE} wins"))
    report.results(with_players(PlayerScore("p1", HOSTILE, bought=200, stack=200.25)))
    text = written.getvalue()
    assert not {one for one in text if not one.isprintable()} - {"\n"}
    assert text.count("[red]Bob[/red]") == 5
    assert "12345678.05" in text
    assert "+0.25" in text


def test_guests_are_listed_apart() -> None:
    """Behind the ranking, however much they won, and in JSON under a name of their own."""
    score = with_players(
        PlayerScore("p1", "Bob", bought=200, stack=100),
        PlayerScore("p2", "Ada", bought=200, stack=350, is_guest=True),
        PlayerScore("p3", "Eve", bought=200, stack=150),
    )
    text = printed(score)
    assert text.index("Eve") < text.index("Bob") < text.index("Ada (guest)")
    assert "every chip is there" in text
    line = json.loads(printed(score, as_json=True))
    assert [player["name"] for player in line["players"]] == ["Bob", "Eve"]
    assert [player["name"] for player in line["guests"]] == ["Ada"]


def test_three_hands_say_nothing_about_the_rate() -> None:
    """No ± 0 and no ± inf, neither in the table nor in JSON."""
    bob = PlayerScore("p1", "Bob", bought=200, stack=194)
    for _ in range(3):
        bob.rate.add(-1)
    text = printed(with_players(bob))
    assert "-100" in text
    assert "says nothing yet" in text
    assert "inf" not in text
    (player,) = json.loads(printed(with_players(bob), as_json=True))["players"]
    assert (player["bbPer100"], player["halfInterval95"]) == (-100, None)


def test_the_biggest_hand_has_a_link_while_the_page_is_there() -> None:
    """In JSON it is a number; a hand has its message under the deprecated name `told`, too."""
    score = Score(big_blind=2)
    assert json.loads(printed(score, as_json=True))["biggestHand"] is None
    score.biggest = Hand(17, 803.5, (), {"p1": 400}, "Ada wins 803.5")
    link = "http://127.0.0.1:4000/rooms/main"
    assert f"biggest  hand 17, pot 803.5   {link}/hands/17\n" in printed(score, link)
    assert "biggest  hand 17, pot 803.5\n" in printed(score)
    hand, results = printed(score, as_json=True, hand=score.biggest).splitlines()
    assert json.loads(results)["biggestHand"] == 17
    assert json.loads(hand)["message"] == json.loads(hand)["told"] == "Ada wins 803.5"
