"""Results of a session: chips of every player, and of the bank."""

from collections.abc import Sequence
from typing import Any

import pytest
from casino.up.session_score import CountedHand, Score
from support.console_side import event

SEATS = [
    {"playerId": "p1", "displayName": "Ada", "seatNumber": 0, "stack": 200},
    {"playerId": "p2", "displayName": "Bob", "seatNumber": 1, "stack": 100},
]
COMPLETED = {
    "handNumber": 7,
    "communityCards": [{"rank": "Q", "suit": "hearts"}, {"rank": "T", "suit": "spades"}],
    "pots": [{"amount": 12, "winners": []}, {"amount": 3, "winners": []}],
    "stacks": [{"playerId": "p1", "stack": 209}, {"playerId": "p2", "stack": 91}],
}


def begun() -> Score:
    """Return the score within a hand."""
    score = Score()
    for seat in SEATS:
        score.add(event("player_registered", **seat))
    score.add(event("hand_started", handNumber=7, players=SEATS))
    return score


def stacks(score: Score) -> dict[str, tuple[float, float]]:
    """Return stack and chips bought of every player."""
    return {player.name: (player.stack, player.bought) for player in score.players.values()}


def status(score: Score, kind: str, **more: Any) -> Score:
    assert score.add(event("table_status", status="running", kind=kind, **more)) is None
    return score


def test_a_hand_is_reported_with_its_changes() -> None:
    """The report has pot, board, and each player's gain or loss."""
    score = begun()
    hand = score.add(event("hand_completed", "hand 7: Ada wins 15", **COMPLETED))
    assert hand == CountedHand(7, 15, ("Qh", "Ts"), {"p1": 9, "p2": -9}, "Ada wins 15")
    assert (score.hands, score.is_conserved) == (1, True)
    assert stacks(score) == {"Ada": (209, 200), "Bob": (91, 100)}
    assert [player.net for player in score.players.values()] == [9, -9]


def session(score: Score, big_blind: float, changes: Sequence[float]) -> None:
    """Play heads-up hands with a blind; `changes` are what Ada wins."""
    for change in changes:
        seats = [{**seat, "stack": 500} for seat in SEATS]
        score.add(event("hand_started", handNumber=1, players=seats, bigBlind=big_blind))
        stacks = [
            {"playerId": "p1", "stack": 500 + change},
            {"playerId": "p2", "stack": 500 - change},
        ]
        score.add(event("hand_completed", handNumber=1, stacks=stacks))


def test_each_hand_counts_in_its_own_big_blinds() -> None:
    """250 hands at 1/2 with +48, then 5 at 5/10 with +25: 26.5 big blinds in 255 hands."""
    score = Score(big_blind=2)
    for seat in SEATS:
        score.add(event("player_registered", **seat))
    session(score, 2, [48] + [0] * 249)
    session(score, 10, [25] + [0] * 4)
    ada = score.players["p1"]
    assert (score.rate_name, ada.rate.hands) == ("bb/100", 255)
    assert round(ada.rate.per_100, 1) == 10.4


def test_a_game_without_blinds_counts_chips() -> None:
    score = Score()
    score.add(event("player_registered", **SEATS[0]))
    session(score, 10, [3])
    assert (score.rate_name, score.players["p1"].rate.per_100) == ("chips/100", 300)


def test_chips_that_a_table_makes_are_seen() -> None:
    """A payout above the bets is detected; the bank's chips are counted."""
    score = begun()
    score.add(event("hand_completed", **{**COMPLETED, "house": 3}))
    assert (score.bank, score.is_conserved) == (3, False)


def test_players_buy_and_leave() -> None:
    score = status(status(begun(), "rebought", playerId="p2", amount=50), "left", playerId="p1")
    assert stacks(score) == {"Ada": (0, 0), "Bob": (150, 150)}
    assert score.is_conserved


def test_a_cancelled_hand_gives_everything_back() -> None:
    score = begun()
    score.players["p1"].stack = 0
    assert stacks(status(score, "hand_cancelled")) == {"Ada": (200, 200), "Bob": (100, 100)}


def test_faults_are_counted() -> None:
    """Decisions that the table made for a player are counted."""
    score = begun()
    for outcome in ("ok", "retried", "timeout", "timeout", "illegal"):
        score.add(event("action_taken", playerId="p1", outcome=outcome))
    assert score.players["p1"].faults == 3
    score.add(event("action_taken", playerId="p1", outcome="away"))
    assert score.players["p1"].faults == 3, "nobody was there"


def test_defaults_are_faults_and_costs_are_summed() -> None:
    score = Score(big_blind=2)
    for seat in SEATS:
        score.add(event("player_registered", **seat, profile={"model": "small"}))
    score.add(event("hand_started", handNumber=7, players=SEATS))
    for outcome, reason in (("ok", None), ("defaulted", "budget"), ("away", None)):
        said = {"defaulted": {"reason": reason}} if reason else {}
        score.add(event("action_taken", playerId="p1", outcome=outcome, **said))
    ada = score.players["p1"]
    assert (ada.faults, ada.defaults) == (1, {"budget": 1, "away": 1})
    usage = {"model": "small", "inputTokens": 100, "costUsd": 0.01}
    disclosed = [{"decision": 1, "playerId": player, "usage": usage} for player in ("p1", "p9")]
    score.add(event("hand_completed", **COMPLETED, disclosed=disclosed))
    costs = ada.decision_costs
    assert costs is not None
    assert (ada.model, costs.usd_per_100_hands, costs.won_per_usd) == ("small", 1, 450)
    assert score.players["p2"].decision_costs is None


def test_the_session_finishes() -> None:
    score = begun()
    assert score.sessions == 0
    assert status(score, "finished").sessions == 1


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("player_registered", {"displayName": "Cleo"}),
        ("hand_started", {"players": [{"stack": 3}, "p1"]}),
        ("action_taken", {"playerId": "p9", "outcome": "ok"}),
        ("action_taken", {"playerId": "p1"}),
        ("hand_completed", {"stacks": [{"playerId": "p9", "stack": 3}, {"playerId": "p1"}]}),
        ("table_status", {"kind": "rebought", "playerId": "p1", "amount": "all"}),
        ("table_status", {"kind": "left", "playerId": "p9", "stack": 3}),
    ],
)
def test_what_cannot_be_read_changes_nothing(kind: str, payload: dict[str, Any]) -> None:
    score = begun()
    assert score.add(event(kind, **payload)) is None
    assert (score.hands, score.is_conserved) == (0, True)
    assert stacks(score) == {"Ada": (200, 200), "Bob": (100, 100)}


def test_the_biggest_hand_is_that_with_the_most_big_blinds() -> None:
    """Not the one with the most chips, where the blinds differ."""
    score = Score(big_blind=2)
    for number, (big_blind, pot) in enumerate([(2, 100), (20, 400), (2, 60)], start=1):
        score.add(event("hand_started", handNumber=number, bigBlind=big_blind, players=[]))
        pots = [{"amount": pot, "winners": []}]
        score.add(event("hand_completed", handNumber=number, pots=pots, stacks=[]))
    assert score.biggest is not None
    assert (score.biggest.number, score.biggest.pot) == (1, 100)
