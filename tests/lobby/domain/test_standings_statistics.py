"""Statistics in the standings: what is counted of a session, whatever happens to it."""

from collections import defaultdict
from random import Random

from casino_contracts.play_counts import PlayCounts, count_hand
from casino_contracts.play_statistics import LatencySketch
from casino_lobby.domain.room_fold import begin_epoch
from hypothesis import given, settings
from hypothesis import strategies as st
from support.table.played_session import PlayedSession
from support.table.written_hand import Event, events_of, played

OUTCOMES = ("", "", "", "timeout", "sitting_out", "away", "defaulted")


def random_hand(players: list[str], random: Random) -> list[Event]:
    random.shuffle(players)
    stacks = {player_id: random.choice((1.5, 20, 200)) for player_id in players}
    left = dict(stacks)
    rounds = []
    for _ in range(random.randrange(1, 5)):
        words = []
        for player_id in random.choices(players, k=random.randrange(8)):
            action = random.choice(("fold", "check", "call", "bet", "raise", "all-in"))
            most = int(left[player_id])
            bet = "" if action in {"fold", "check"} or not most else str(random.randrange(most))
            words.append(f"{player_id} {action} {bet} {random.choice(OUTCOMES)}")
        rounds.append(", ".join(words))
    events = events_of(stacks, *rounds)
    for _, payload in events[1:]:
        payload["latencyMs"] = random.randrange(4_000)
    return events


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_the_fold_equals_a_recount_of_completed_hands(seed: int) -> None:
    random = Random(seed)
    session = PlayedSession(max_seats=6)
    players = [f"p{number}" for number in range(random.randrange(2, 6))]
    for player_id in players:
        session.sit(player_id)
    counts = {player_id: PlayCounts() for player_id in players}
    latencies: defaultdict[str, LatencySketch] = defaultdict(LatencySketch)
    for number in range(1, 12):
        events = random_hand(players, random)
        for kind, payload in events:
            session.report(kind, handNumber=number, **payload)
            if random.random() < 0.05:
                session.restart()
        end = random.choice(("over", "over", "over", "cancel", "epoch"))
        if end == "cancel":
            session.status("hand_cancelled")
        elif end == "epoch":
            begin_epoch(session.room)
        else:
            winners = random.sample(players, 1)
            pots = [{"winners": [{"playerId": winners[0], "amount": 3}]}]
            session.report("hand_completed", handNumber=number, pots=pots)
            count_hand(played(events), winners, counts)
            for _, payload in events[1:]:
                if payload["outcome"] not in {"sitting_out", "away"}:
                    latencies[payload["playerId"]].add(payload["latencyMs"])
    session.restart()
    assert session.room.results == session.recount()
    for player_id, results in session.room.results.players.items():
        assert results.play == counts[player_id]
        assert results.latency == latencies[player_id]


def test_a_reader_gets_shares_with_their_samples() -> None:
    session = PlayedSession()
    session.sit("s")
    session.sit("b")
    assert "statistics" not in session.lines()["s"]
    assert "latency" not in session.lines()["s"]
    hand = events_of({"s": 200, "b": 200}, "s raise 6, b call 6", "b check, s bet 8, b fold")
    for kind, payload in hand:
        session.report(kind, handNumber=1, **payload, **({} if "players" in payload else LATE))
    session.report("hand_completed", handNumber=1, communityCards=[{}] * 3)
    lines = session.lines()
    none, always = {"count": 0, "of": 1}, {"count": 1, "of": 1}
    assert lines["s"]["statistics"] == {
        "vpip": always,
        "pfr": always,
        "threeBet": {"count": 0, "of": 0},
        "cBet": always,
        "aggression": {"count": 1, "of": 0},
        "wentToShowdown": none,
        "wonAtShowdown": {"count": 0, "of": 0},
    }
    assert lines["b"]["statistics"]["threeBet"] == none
    assert lines["s"]["latency"] == {"decisions": 2, "p50": 7, "p95": 7}


LATE = {"latencyMs": 7}


def test_a_game_without_blinds_has_only_latencies() -> None:
    session = PlayedSession("kuhn_poker")
    session.sit("p1")
    session.sit("p2")
    session.begin_hand(None)
    session.report("action_taken", playerId="p1", action="bet", outcome="ok", **LATE)
    session.report("action_taken", playerId="p2", action="fold", outcome="sitting_out", **LATE)
    session.end_hand({"p1": 1, "p2": -1}, 1)
    lines = session.lines()
    assert lines["p1"]["latency"] == {"decisions": 1, "p50": 7, "p95": 7}
    assert not {"statistics"} & {*lines["p1"], *lines["p2"]}
    assert "latency" not in lines["p2"]
