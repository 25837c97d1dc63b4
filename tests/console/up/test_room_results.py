"""The results of several rooms together."""

import json
from io import StringIO
from typing import Any

import pytest
from casino.up.report import Report
from casino.up.room_results import RoomResult, rooms_document
from casino_contracts import Standings
from rich.console import Console


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
