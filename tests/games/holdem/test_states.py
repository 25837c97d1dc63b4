"""What everybody may see of a hand, what only one player may, and that looking changes nothing."""

import re

from games.holdem.dealing import new_game, new_hand, rigged_game, step_all

BOARD = "2c3d7h8c9d"


def test_the_public_state_has_the_meaning_of_the_wire() -> None:
    """After a raise: the price, the smallest full raise on top, all chips in the pot."""
    game = new_game([1000] * 3, button=2, ante=10)
    step_all(game, ("raise", 300))
    assert game.get_public_state() == {
        "game_type": "texas-holdem",
        "betting_round": "preflop",
        "community_cards": [],
        "pot": 480,
        "current_bet": 300,
        "minimum_raise": 200,
        "small_blind": 50,
        "big_blind": 100,
        "ante": 10,
        "button": "p2",
        "current_player": "p0",
        "players": [
            {"player_id": "p0", "stack": 940, "bet": 50, "status": "active"},
            {"player_id": "p1", "stack": 890, "bet": 100, "status": "active"},
            {"player_id": "p2", "stack": 690, "bet": 300, "status": "active"},
        ],
        "history": [
            {
                "player_id": "p2",
                "betting_round": "preflop",
                "action": "raise",
                "amount": 300,
            }
        ],
    }


def test_a_short_big_blind_does_not_lower_the_current_bet() -> None:
    """Before the flop it is at least the big blind."""
    state = new_game([1000, 30, 1000], button=2).get_public_state()
    assert (state["current_bet"], state["minimum_raise"]) == (100, 100)


def test_after_the_flop_the_smallest_bet_is_the_big_blind() -> None:
    """Nothing bet, so the sum is a bet of one big blind."""
    game = new_game([1000] * 2)
    step_all(game, "call", "check")
    state = game.get_public_state()
    assert (state["betting_round"], len(state["community_cards"])) == ("flop", 3)
    assert (state["current_bet"], state["minimum_raise"]) == (0, 100)


def test_a_player_is_active_folded_or_all_in() -> None:
    """Also all-in with chips to come: who won an all-in had no choice any more."""
    game = new_game([1000, 1000, 500, 1000], button=3)
    step_all(game, "all-in", "fold", "call")
    statuses = [player["status"] for player in game.get_public_state()["players"]]
    assert statuses == ["active", "active", "all-in", "folded"]


def test_the_end_has_results() -> None:
    """Pots, what came back, and the hands that were shown."""
    game = rigged_game([1000, 700], ["AsAh", "KsKh"], BOARD)
    assert "results" not in game.get_public_state()
    step_all(game, "call", ("raise", 900), "all-in")
    state = game.get_public_state()
    assert state["current_player"] == ""
    assert state["pot"] == 0
    assert state["results"]["uncalled_returned"] == {"player_id": "p0", "amount": 200}
    assert [pot["amount"] for pot in state["results"]["pots"]] == [1400]
    assert [hand["cards"] for hand in state["results"]["shown"]] == [["As", "Ah"], ["Ks", "Kh"]]


def test_the_private_state_is_the_players_own_cards() -> None:
    game = rigged_game([1000] * 2, ["AsAh", "KsKh"], BOARD)
    assert game.get_private_state("p0") == {"hole_cards": ["As", "Ah"]}
    assert game.get_private_state("p1") == {"hole_cards": ["Ks", "Kh"]}


def test_no_repr_shows_a_card_or_a_seed() -> None:
    """A repr may be logged."""
    cards = ["AsAh", "KsKh"], BOARD
    for thing in (rigged_game([1000] * 2, *cards), new_hand([1000] * 2, *cards)):
        text = re.sub(r" at 0x[0-9a-f]+", "", repr(thing))  # an address may look like a card
        assert not any(name in text for name in ("As", "Ks", "2c", "51"))
