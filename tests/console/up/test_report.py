"""What `casino up` prints of a session and of several rooms."""

import json
from io import StringIO
from typing import Any

import pytest
from casino.up.run_report import Report, RoomResult, rooms_document
from casino.up.session_score import CountedHand, PlayerScore, Score
from casino_contracts import PlayerFault, Standings, Usage
from rich.console import Console

HOSTILE = "\x1b[2J[red]Bob[/red]\u202e"


def printed(
    score: Score, url: str = "", *, as_json: bool = False, hand: CountedHand | None = None
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
    report.hand(CountedHand(1, 12_345_678.05, ("As",), {}, f"{HOSTILE} wins"))
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


def test_who_decided_and_at_what_cost() -> None:
    bob = PlayerScore("p1", "Bob", bought=200, stack=194, model="small")
    bob.outcomes.update(ok=3, defaulted=2, away=1)
    bob.defaults.update(model_failed=2, away=1)
    fault = {"epoch": 1, "sequence": 9, "handNumber": 4, "timestamp": "", "outcome": "defaulted"}
    words = {"defaulted": "model_failed", "reason": "401: no such key"}
    bob.last_fault = PlayerFault.model_validate({**fault, **words})
    bob.rate.add(-1)
    bob.costs.add(Usage(model="small", input_tokens=1_000, cost_usd=0.5))
    text = printed(with_players(bob))
    counts = "Bob: 2 defaulted, 1 away (model failed 2, away 1)"
    assert f"{counts}; last, hand 4: default: model failed, 401: no such key\n" in text
    row = ["Bob", "small", "100,000", "50", "-2", "-1"]
    assert row in [line.split() for line in text.splitlines()]
    (player,) = json.loads(printed(with_players(bob), as_json=True))["players"]
    assert (player["defaulted"], player["model"]) == ({"model_failed": 2, "away": 1}, "small")
    assert player["costs"]["usdPer100Hands"] == 50
    assert player["lastFault"]["defaulted"] == "model_failed"


def test_three_hands_say_nothing_about_the_rate() -> None:
    """No ± 0 and no ± inf, neither in the table nor in JSON."""
    bob = PlayerScore("p1", "Bob", bought=200, stack=194)
    for _ in range(3):
        bob.rate.add(-1)
    text = printed(with_players(bob))
    assert "-100" not in text
    assert "says nothing yet" in text
    assert "inf" not in text
    (player,) = json.loads(printed(with_players(bob), as_json=True))["players"]
    assert (player["bbPer100"], player["halfInterval95"]) == (-100, None)


def test_the_biggest_hand_has_a_link_while_the_page_is_there() -> None:
    """In JSON it is a number; a hand has its message under the deprecated name `told`, too."""
    score = Score(big_blind=2)
    assert json.loads(printed(score, as_json=True))["biggestHand"] is None
    score.biggest = CountedHand(17, 803.5, (), {"p1": 400}, "Ada wins 803.5")
    link = "http://127.0.0.1:4000/rooms/main"
    assert f"biggest  hand 17, pot 803.5   {link}/hands/17\n" in printed(score, link)
    assert "biggest  hand 17, pot 803.5\n" in printed(score)
    hand, results = printed(score, as_json=True, hand=score.biggest).splitlines()
    assert json.loads(results)["biggestHand"] == 17
    assert json.loads(hand)["message"] == json.loads(hand)["told"] == "Ada wins 803.5"


def room(name: str, *players: dict[str, Any], has_bank: bool = False, hands: int = 5) -> RoomResult:
    common = {"hands": hands, "bbPer100": 1.5, "faults": {}, "decisions": 10}
    standings = Standings.model_validate(
        {
            "roomId": name,
            "hands": hands,
            "players": [
                {
                    **common,
                    "playerId": f"player-{number}",
                    "displayName": f"P{number}",
                    "net": player["stack"] - player["bought"],
                    **player,
                }
                for number, player in enumerate(players)
            ],
        }
    )
    return RoomResult(name, standings, has_bank=has_bank)


def text_of(*rooms: RoomResult, faults: tuple[str, ...] = (), as_json: bool = False) -> str:
    written = StringIO()
    console = Console(file=written, width=200, soft_wrap=True)
    Report(as_json=as_json, console=console).rooms(rooms, faults)
    return written.getvalue()


def test_chips_are_there_if_nobody_has_more_than_was_bought() -> None:
    """Those of a player who left do not count, but what it has won does."""
    left = {"bought": 200, "stack": 250, "hasLeft": True}
    result = room("a", {"bought": 400, "stack": 350.5}, {"bought": 200, "stack": 199.5}, left)
    assert result.is_conserved
    assert (result.in_play, result.bought_in) == (550, 550)
    assert result.leader is not None
    assert result.leader.display_name == "P2"


@pytest.mark.parametrize("stack", [99, 101])
def test_a_lost_or_created_chip_is_found(stack: int) -> None:
    """In the room where it happened, unless a bank may have it."""
    wrong = {"bought": 100, "stack": stack}
    assert not room("a", wrong).is_conserved
    assert room("a", wrong, has_bank=True).is_conserved
    good = room("b", {"bought": 100, "stack": 100})
    assert "chips were lost or created in a\n" in text_of(room("a", wrong), good)
    assert rooms_document([room("a", wrong), good])["conserved"] is False
    assert "the bank has the difference" in text_of(room("a", wrong, has_bank=True), good)


def test_faults_are_decisions_that_the_table_made() -> None:
    """Of the players that were asked, and did not do better at the second attempt."""
    outcomes = {"retried": 3, "sitting_out": 4, "timeout": 1, "illegal": 2}
    result = room("a", {"bought": 1, "stack": 1, "faults": outcomes}, {"bought": 1, "stack": 1})
    assert result.faults == 3


def test_there_is_a_line_for_each_room_and_one_for_all() -> None:
    """Names of third parties are text; the reasons of faults follow."""
    hostile = {"bought": 100, "stack": 150, "displayName": "\x1b[2J[red]Bob[/red]"}
    loser = {"bought": 100, "stack": 50}
    text = text_of(
        room("main", hostile, loser), room("main-2", hostile, loser), faults=("why\x1b",)
    )
    assert not {one for one in text if not one.isprintable()} - {"\n"}
    assert text.count("[red]Bob[/red]") == 2
    assert "│ all    │    10 │" in text
    assert "all rooms: chips in play 400, bought in 400: every chip is there\n" in text
    assert "why \n" in text
    assert text_of(room("main")).count(" - ") == 2  # nobody has sat down


def test_programs_get_every_player_of_every_room() -> None:
    rooms = [room(name, {"bought": 100, "stack": 100}) for name in ("main", "main-2")]
    line = json.loads(text_of(*rooms, faults=("why",), as_json=True))
    assert (line["event"], line["hands"], line["faults"]) == ("rooms", 10, 0)
    assert line["chipsInPlay"] == line["chipsBoughtIn"] == 200
    assert (line["conserved"], line["lastFaults"]) == (True, ["why"])
    assert [one["room"] for one in line["rooms"]] == ["main", "main-2"]
    assert line["rooms"][1]["hands"] == 5
    assert line["rooms"][1]["players"][0]["displayName"] == "P0"
