"""Standings of single sessions."""

from casino_contracts import MAX_SAFE
from casino_lobby.domain.player_results import PLAYERS_KEPT
from casino_lobby.domain.room_views import standings_of
from support.table.played_session import PlayedSession


def test_an_interval_comes_with_the_thirtieth_hand() -> None:
    session = PlayedSession()
    session.sit("p1")
    session.sit("p2")
    for number in range(29):
        won = 4 if number % 2 else -2
        session.hand(2, p1=won, p2=-won)
    assert session.lines()["p1"]["halfInterval95"] is None
    session.hand(2, p1=4, p2=-4)
    line = session.lines()["p1"]
    assert (line["bbPer100"], line["halfInterval95"]) == (50, 56.97)


def test_a_game_without_blinds_counts_chips() -> None:
    session = PlayedSession("kuhn_poker")
    session.sit("p1")
    session.sit("p2")
    session.begin_hand(None)
    session.end_hand({"p1": 3, "p2": -3}, 1)
    assert session.lines()["p1"]["bbPer100"] == 300
    assert standings_of(session.room).unit == "chips"


def test_who_left_stays_listed_and_keeps_the_net() -> None:
    session = PlayedSession()
    session.sit("p1")
    session.sit("p2", playerType="human")
    session.hand(2, p1=30, p2=-30)
    session.leave("p1")
    line = session.lines()["p1"]
    assert (line["net"], line["bought"], line["stack"], line["hasLeft"]) == (30, 200, 230, True)
    session.sit("p1", 100, displayName="Anew")
    line = session.lines()["p1"]
    assert (line["net"], line["stack"], line["displayName"]) == (30, 100, "Anew")
    assert "hasLeft" not in line
    session.status("closed")
    lines = session.lines()
    assert [(line["net"], line["hasLeft"]) for line in lines.values()] == [(30, True), (-30, True)]
    assert [line.get("isGuest") for line in lines.values()] == [None, True]


def test_a_table_that_reports_no_seats_is_understood() -> None:
    session = PlayedSession()
    session.report("hand_started", players=[{"playerId": "x", "stack": 50}, {"playerId": "y"}])
    session.report("action_taken", playerId="x", outcome="clumsy")
    session.report("action_taken", playerId="nobody", outcome="illegal")
    session.report("hand_completed", stacks=[{"playerId": "x", "stack": 60}, {"stack": 3}])
    session.status("rebought", playerId="x", stack=100)
    session.status("rebought", playerId="x")
    session.status("left", playerId="nobody", stack=3)
    session.report("hand_completed")
    line = session.lines()["x"]
    assert (line["net"], line["bought"], line["hands"], line["decisions"]) == (10, 90, 1, 0)
    assert session.room.results.hands == 2


def test_whatever_a_table_reports_the_room_can_be_stored_and_shown() -> None:
    """Sums beyond what JSON holds exactly, blinds next to nothing, a crowd of players."""
    session = PlayedSession()
    session.sit("p1", MAX_SAFE)
    for _ in range(5):
        session.status("rebought", playerId="p1", amount=MAX_SAFE)
    players = [{"playerId": "p1", "stack": MAX_SAFE}]
    for stack in (0, MAX_SAFE):
        session.report("hand_started", players=players, bigBlind=5e-324)
        session.report("hand_completed", stacks=[{"playerId": "p1", "stack": stack}])
    for number in range(3 * PLAYERS_KEPT):
        session.report("player_registered", playerId=f"x{number}", stack=1)
        session.status("left", playerId=f"x{number}", stack=1)
    session.restart()
    assert session.room.results == session.recount()
    lines = session.lines()
    assert len(lines) == PLAYERS_KEPT
    assert "p1" in lines, "who is seated is never forgotten"
    assert f"x{3 * PLAYERS_KEPT - 1}" in lines
