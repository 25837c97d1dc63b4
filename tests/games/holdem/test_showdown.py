"""Which hands are shown, and in which order."""

from casino_games.holdem.betting import NOBODY
from casino_games.holdem.hand import hands_to_show, showing_order


def test_without_a_bet_the_first_live_seat_left_of_the_button_shows_first() -> None:
    assert showing_order([1, 3, 4], NOBODY) == [1, 3, 4]


def test_the_last_aggressor_shows_first_and_the_round_goes_on_from_there() -> None:
    """Behind the button it begins again at the left of it."""
    assert showing_order([1, 3, 4], 3) == [3, 4, 1]


def test_a_beaten_hand_is_mucked() -> None:
    """Better, worse, equal, better: the worse one stays secret."""
    ranks = {0: 100, 1: 200, 2: 100, 3: 50}
    assert hands_to_show([0, 1, 2, 3], ranks) == [0, 2, 3]


def test_the_order_decides_what_is_seen() -> None:
    """Nobody has to show after the best hand, everybody has to in a rising row."""
    ranks = {0: 300, 1: 200, 2: 100}
    assert hands_to_show([2, 0, 1], ranks) == [2]
    assert hands_to_show([0, 1, 2], ranks) == [0, 1, 2]
    assert hands_to_show([0, 2, 1], ranks) == [0, 2], "the best hand that was shown counts"
