"""The events of a hand, in the order in which they happened."""

import json
from typing import Any

from games.holdem.dealing import kinds, new_game, rigged_game, step_all

BOARD = "2c3d7h8c9d"


def only(events: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    (event,) = [event for event in events if event["event"] == kind]
    return event


def test_the_event_of_a_decision_has_the_total_and_the_remaining_stack() -> None:
    """The amount is the total for this round, paid what was added."""
    events = step_all(new_game([1000] * 3, button=2), ("raise", 300))
    assert events == [
        {
            "event": "action",
            "player_id": "p2",
            "betting_round": "preflop",
            "action": "raise",
            "amount": 300,
            "paid": 300,
            "stack": 700,
            "pot": 450,
        }
    ]


def test_a_fold_and_a_check_have_no_amount() -> None:
    events = step_all(new_game([1000] * 3, button=2), "fold", "call", "check")
    assert [event.get("amount") for event in events[:3]] == [None, 100, None]
    assert [event["paid"] for event in events[:3]] == [0, 50, 0]


def test_the_event_of_a_street_has_all_cards_so_far() -> None:
    game = rigged_game([1000] * 2, ["AsAh", "KsKh"], BOARD)
    events = step_all(game, "call", "check", "check", "check")
    assert kinds(events) == ["action", "action", "street_dealt", "action", "action", "street_dealt"]
    assert events[2] == {
        "event": "street_dealt",
        "betting_round": "flop",
        "community_cards": ["2c", "3d", "7h"],
    }
    assert events[5]["community_cards"] == ["2c", "3d", "7h", "8c"]


def test_a_fold_ends_the_hand_without_a_card() -> None:
    """The uncalled bet comes back first, then the pot is awarded."""
    game = rigged_game([1000] * 2, ["AsAh", "KsKh"], BOARD)
    events = step_all(game, "call", "check", ("bet", 500), "fold")
    assert events[-4:] == [
        {
            "event": "action",
            "player_id": "p1",
            "betting_round": "flop",
            "action": "fold",
            "amount": None,
            "paid": 0,
            "stack": 900,
            "pot": 700,
        },
        {"event": "uncalled_returned", "player_id": "p0", "amount": 500},
        {
            "event": "pot_awarded",
            "amount": 200,
            "eligible": ["p0"],
            "winners": [{"player_id": "p0", "amount": 200}],
        },
        {"event": "hand_over", "stacks": {"p0": 1100, "p1": 900}, "shown": []},
    ]


def test_a_showdown_tells_the_shown_hands_ranked() -> None:
    game = rigged_game([1000] * 2, ["AsAh", "KsKh"], BOARD)
    events = step_all(game, "call", *["check"] * 7)
    assert kinds(events[-4:]) == ["action", "hands_shown", "pot_awarded", "hand_over"]
    (shown,) = only(events, "hands_shown")["hands"]
    assert shown == {
        "player_id": "p0",
        "cards": ["As", "Ah"],
        "rank": shown["rank"],
        "rank_name": "Pair",
        "best_five": ["As", "Ah", "9d", "8c", "7h"],
    }
    assert only(events, "hand_over")["shown"] == [shown]
    assert "Ks" not in json.dumps(events)


def test_all_in_hands_are_shown_before_the_board_is_run_out() -> None:
    """Without a rank, because the board is not full; the end of the hand has it."""
    game = rigged_game([1000, 700], ["AsAh", "KsKh"], BOARD)
    events = step_all(game, "call", ("raise", 900), "all-in")
    assert kinds(events[2:]) == [
        "action",
        "uncalled_returned",
        "hands_shown",
        "street_dealt",
        "street_dealt",
        "street_dealt",
        "pot_awarded",
        "hand_over",
    ]
    first, second = only(events, "hands_shown")["hands"]
    assert first == {
        "player_id": "p0",
        "cards": ["As", "Ah"],
        "rank": None,
        "rank_name": None,
        "best_five": None,
    }
    assert second["player_id"] == "p1"
    boards = [event["community_cards"] for event in events if event["event"] == "street_dealt"]
    assert [len(board) for board in boards] == [3, 4, 5]
    names = [hand["rank_name"] for hand in only(events, "hand_over")["shown"]]
    assert names == ["Pair", "Pair"]


def test_an_all_in_call_on_the_river_is_ranked_at_once() -> None:
    game = rigged_game([1000] * 2, ["AsAh", "KsKh"], BOARD)
    events = step_all(game, "call", *["check"] * 5, "all-in", "call")
    assert kinds(events[-4:]) == ["action", "hands_shown", "pot_awarded", "hand_over"]
    assert [hand["rank_name"] for hand in only(events, "hands_shown")["hands"]] == ["Pair", "Pair"]


def test_the_opening_tells_who_posted_what() -> None:
    """Antes first, then the blinds; what was really paid."""
    game = new_game([1000, 30, 1000], button=2, ante=10)
    assert game.opening_events() == [
        {"event": "forced_bet", "player_id": "p0", "kind": "ante", "amount": 10},
        {"event": "forced_bet", "player_id": "p1", "kind": "ante", "amount": 10},
        {"event": "forced_bet", "player_id": "p2", "kind": "ante", "amount": 10},
        {"event": "forced_bet", "player_id": "p0", "kind": "small_blind", "amount": 50},
        {"event": "forced_bet", "player_id": "p1", "kind": "big_blind", "amount": 20},
    ]


def test_a_blind_of_nothing_is_no_event() -> None:
    game = new_game([1000, 10, 1000], button=2, ante=10)
    assert [event["kind"] for event in game.opening_events()][-1] == "small_blind"


def test_the_opening_stays_what_it_was() -> None:
    """Later decisions are not part of it, not even when the hand is over."""
    game = new_game([1000] * 2)
    before = game.opening_events()
    step_all(game, "fold")
    assert game.is_over()
    assert game.opening_events() == before


def test_an_opening_that_leaves_no_decision_tells_the_whole_hand() -> None:
    game = rigged_game([30, 1000], ["AsAh", "2c7d"], "KsKdQc9h4d")
    assert game.is_over()
    assert kinds(game.opening_events()) == [
        "forced_bet",
        "forced_bet",
        "uncalled_returned",
        "hands_shown",
        "street_dealt",
        "street_dealt",
        "street_dealt",
        "pot_awarded",
        "hand_over",
    ]
