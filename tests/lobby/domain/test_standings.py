"""Standings of single sessions."""

import json

from casino_contracts import MAX_SAFE
from casino_contracts.play_counts import REASONS_KEPT
from casino_lobby.domain.player_results import PLAYERS_KEPT
from casino_lobby.domain.room import Room
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


def test_defaults_and_costs_are_counted_by_the_end_of_the_hand() -> None:
    session = PlayedSession()
    session.sit("p1", profile={"model": "small"})
    session.sit("p2")
    for won in (20, -10):
        session.begin_hand()
        session.act("p1", "ok")
        session.act("p1", "defaulted", defaulted={"reason": "model_failed"})
        session.act("p2", "away")
        usage = {"model": "small", "inputTokens": 900, "outputTokens": 100, "costUsd": 0.002}
        detail = {"reason": "model_failed", "detail": f"429: no money {won}"}
        disclosed = [
            {"decision": 1, "playerId": "p1", "usage": usage},
            {"decision": 2, "playerId": "p1", "defaulted": detail},
        ]
        session.end_hand({"p1": won, "p2": -won}, 2, disclosed=disclosed)
    line, other = session.lines()["p1"], session.lines()["p2"]
    assert line["profile"] == {"model": "small"}
    assert (line["decisions"], line["faults"]) == (4, {"defaulted": 2})
    assert line["defaulted"] == [
        {"reason": "model_failed", "count": 2, "detail": "429: no money -10"}
    ]
    costs = line["costs"]
    assert (costs["models"], costs["decisions"], costs["costUsd"]) == (["small"], 2, 0.004)
    assert (costs["tokensPer100Hands"], costs["usdPer100Hands"]) == (100_000, 0.2)
    assert (costs["wonPerUsd"], costs["wonPer1000Tokens"]) == (1_250, 2.5)
    assert (other["faults"], other["defaulted"]) == ({}, [{"reason": "away", "count": 2}])
    assert "costs" not in other
    session.restart()
    assert session.lines()["p1"] == line


def test_what_a_hand_discloses_counts_for_its_own_decisions_alone() -> None:
    session = PlayedSession()
    session.sit("p1")
    session.sit("p2")
    session.begin_hand()
    session.act("p1", "ok")
    session.act("p2", "ok")
    usage = {"inputTokens": MAX_SAFE, "outputTokens": MAX_SAFE, "costUsd": MAX_SAFE}
    said = {"usage": usage, "defaulted": {"reason": "timeout", "detail": "no default of this hand"}}
    places = [(2, "p1"), (1, "p2"), (3, "p1"), (MAX_SAFE, "p2"), (1, "x"), (1, "p1"), (1, "p1")]
    disclosed = [{"decision": place, "playerId": player_id, **said} for place, player_id in places]
    session.end_hand({"p1": 20, "p2": -20}, 2, disclosed=disclosed)
    costs = session.lines()["p1"]["costs"]
    assert (costs["decisions"], costs["tokensPer100Hands"]) == (1, MAX_SAFE)
    assert "costs" not in session.lines()["p2"]
    assert not any("defaulted" in line for line in session.lines().values())


def test_results_of_an_earlier_release_are_read() -> None:
    """In the middle of a hand, too: they say nothing of defaults and costs."""
    session = PlayedSession()
    session.sit("p1")
    session.sit("p2")
    session.hand(2, p1=20, p2=-20)
    session.begin_hand()
    session.act("p1", "away")
    stored = json.loads(json.dumps(session.room.to_json()))
    for player in stored["results"]["players"].values():
        for field in ("defaults", "costs", "profile"):
            del player[field]
    del stored["results"]["hand"]["played"]["defaults"]
    session.room = Room.from_json(stored)
    session.end_hand({"p1": -10, "p2": 10}, 2)
    line = session.lines()["p1"]
    assert (line["net"], line["decisions"]) == (10, 1)
    assert line["defaulted"] == [{"reason": "away", "count": 1}]


def test_reasons_are_bounded() -> None:
    session = PlayedSession()
    session.sit("p1")
    session.begin_hand()
    for number in range(3 * REASONS_KEPT):
        session.act("p1", "defaulted", defaulted={"reason": f"x{number}"})
    session.end_hand({"p1": 0}, 2)
    first, *rest = session.lines()["p1"]["defaulted"]
    assert first == {"reason": "other", "count": 2 * REASONS_KEPT}
    assert len(rest) == REASONS_KEPT


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
