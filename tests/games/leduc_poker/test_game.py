"""Leduc hold'em's chips and events, which the comparison with OpenSpiel leaves out."""

import pytest
from casino_games import Game
from games.playing import dealt, rigged, step_all

JACK, JACK_OF_SPADES, QUEEN, QUEEN_OF_SPADES, KING, KING_OF_SPADES = range(6)


def leduc(*cards: int, **settings: object) -> Game:
    """Return a hand with these cards: the first player's, the second's, the public one."""
    return rigged("leduc_poker", 2, cards, 6, **settings)


def test_the_public_card_comes_after_the_first_round() -> None:
    game = leduc(JACK, KING, QUEEN)
    assert game.get_public_state()["public_card"] is None
    events = step_all(game, "BET", "CALL")
    assert events[-1] == {"event": "card_dealt", "card": "Qh"}
    state = game.get_public_state()
    assert (state["public_card"], state["betting_round"], state["pot"]) == ("Qh", 2, 6)
    assert game.get_current_player() == "p0"


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ((JACK, KING, JACK_OF_SPADES), "p0"),
        ((QUEEN, KING, JACK), "p1"),
        ((KING, QUEEN, JACK), "p0"),
        ((QUEEN, QUEEN_OF_SPADES, KING), None),
    ],
)
def test_a_pair_wins_then_the_rank_and_equals_share(
    cards: tuple[int, ...], winner: str | None
) -> None:
    game = leduc(*cards)
    events = step_all(game, "CHECK", "CHECK", "BET", "CALL")
    assert game.get_winner() == winner
    (award,) = [event for event in events if event["event"] == "pot_awarded"]
    paid = {entry["player_id"]: entry["amount"] for entry in award["winners"]}
    assert paid == ({"p0": 5, "p1": 5} if winner is None else {winner: 10})


def test_two_raises_of_the_rounds_size_are_the_most() -> None:
    """Two, then four; a third is not offered, and the second round counts anew."""
    game = leduc(JACK, KING, QUEEN)
    step_all(game, "BET", "RAISE")
    assert [offer["action_type"] for offer in game.get_available_actions()] == ["FOLD", "CALL"]
    step_all(game, "CALL", "CHECK", "BET", "RAISE")
    assert game.get_public_state()["to_call"] == 4
    step_all(game, "CALL")
    assert game.get_scores() == {"p0": -13, "p1": 13}


def test_a_raise_that_one_cannot_pay_is_not_offered() -> None:
    """The first bet of 2 is within 3 chips, the raise to 5 is not."""
    game = dealt("leduc_poker", 2, stacks=[3, 100])
    step_all(game, "BET")
    assert [offer["action_type"] for offer in game.get_available_actions()] == ["FOLD", "CALL"]
    step_all(game, "CALL")
    assert [offer["action_type"] for offer in game.get_available_actions()] == ["CHECK"]
