"""The order in which a deck is dealt is fixed."""

from casino_games.cards import DECK
from casino_games.holdem.hand import deal


def test_holes_go_round_twice_and_each_street_burns_a_card() -> None:
    """With three seats: 0 1 2, 0 1 2, burn, flop, burn, turn, burn, river."""
    holes, board = deal(list(DECK), 3)
    assert holes == [(0, 3), (1, 4), (2, 5)]
    assert board == (7, 8, 9, 11, 13)
