"""Standings equal a recount of all events: over epochs, cancelled hands, resets and restarts."""

from random import Random
from statistics import fmean, pvariance

import pytest
from casino_lobby.domain.epoch import begin_epoch
from hypothesis import given, settings
from hypothesis import strategies as st
from support.table.played_session import PlayedSession

OUTCOMES = ("ok", "ok", "ok", "illegal", "timeout", "sitting_out", "away", "retried")


def play_at_random(session: PlayedSession, random: Random) -> None:
    """Play, with all that can happen between and within hands."""
    session.sit("p1")
    session.sit("p2")
    for _ in range(random.randrange(60)):
        step = random.choice(("hand",) * 6 + ("epoch", "cancel", "join", "leave", "reset", "store"))
        players = list(session.stacks)
        if step == "store":
            session.restart()
        elif step == "join" and len(players) < 6:
            is_new = random.random() < 0.7 or "back" in players
            session.sit(f"p{len(session.results) + 1}" if is_new else "back")
        elif step == "leave" and len(players) > 2:
            session.leave(random.choice(players))
        elif step == "reset":
            for player_id, stack in session.stacks.items():
                if stack != 200:
                    session.buy(player_id, 200 - stack)
        elif step in {"hand", "cancel", "epoch"}:
            play_hand(session, random, step)


def play_hand(session: PlayedSession, random: Random, end: str) -> None:
    """Play a hand that is completed, cancelled, or cut off by a new epoch."""
    players = list(session.stacks)
    blind = random.choice((0.5, 2, 5))
    session.begin_hand(blind)
    acts = [(random.choice(players), random.choice(OUTCOMES)) for _ in range(random.randrange(9))]
    for player_id, outcome in acts:
        session.act(player_id, outcome)
        if random.random() < 0.05:
            session.restart()
    if end == "cancel":
        session.status("hand_cancelled")
    elif end == "epoch":
        begin_epoch(session.room, above=random.choice((0, session.room.epoch)))
        if random.random() < 0.3:  # twice, as after a second failure
            begin_epoch(session.room)
    else:
        winner, loser = random.sample(players, 2)
        won = random.choice((0, 0.5, 3, session.stacks[loser]))
        won = min(won, session.stacks[loser])
        changes = dict.fromkeys(players, 0.0) | {winner: won, loser: -won}
        session.end_hand(changes, blind, acts)
        if session.stacks[loser] == 0:
            session.buy(loser, 200)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_standings_equal_a_recount_over_all_events(seed: int) -> None:
    """And what was played: whatever was cancelled, cut off, reset, stored."""
    session = PlayedSession(max_seats=6)
    play_at_random(session, Random(seed))
    session.restart()
    assert session.room.results == session.recount()
    lines = session.lines()
    assert set(lines) == set(session.results)
    assert [line["net"] for line in lines.values()] == sorted(
        (line["net"] for line in lines.values()), reverse=True
    )
    assert sum(line["net"] for line in lines.values()) == pytest.approx(0)
    for player_id, line in lines.items():
        results = session.results[player_id]
        assert line["net"] == pytest.approx(session.nets.get(player_id, 0))
        assert line["net"] == pytest.approx(line["stack"] - line["bought"])
        assert line["hands"] == len(results)
        assert line["decisions"] == session.outcomes[player_id].total()
        faults = {
            outcome: count
            for outcome, count in session.outcomes[player_id].items()
            if outcome not in {"ok", "away"}
        }
        assert line["faults"] == faults
        if results:
            assert line["bbPer100"] == pytest.approx(fmean(results) * 100, abs=0.01)
            rate = session.room.results.players[player_id].rate
            assert rate.squares == pytest.approx(pvariance(results) * len(results), abs=1e-6)
