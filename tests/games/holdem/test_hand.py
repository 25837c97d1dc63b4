"""One hand from the deal to the last award."""

from typing import Any

import pytest
from casino_games.holdem.hand import split
from games.holdem.dealing import new_hand, play

BOARD = "2c3d7h8c9d"


class TestStreets:
    def test_an_all_in_runs_the_board_out(self) -> None:
        hand = play(new_hand([1000] * 2, ["AsAh", "KsKh"], BOARD), "all-in", "call")
        assert hand.is_over
        assert len(hand.board) == 5
        assert hand.betting_ended_on == 0

    def test_every_decision_is_recorded_with_what_it_did(self) -> None:
        """Seat, street, word, total, paid, stack, pot; before anything that follows."""
        hand = new_hand([1000] * 2)
        play(hand, "raise_to 300", "call", "call", "raise_to 100", "fold")
        assert hand.actions == [
            (1, 0, "raise", 300, 250, 700, 400),
            (0, 0, "call", 300, 200, 700, 600),
            (0, 1, "check", None, 0, 700, 600),
            (1, 1, "bet", 100, 100, 600, 700),
            (0, 1, "fold", None, 0, 700, 700),
        ]


class TestDeadSmallBlind:
    def test_odd_chips_and_the_first_show_are_left_of_the_button(self) -> None:
        hand = new_hand([1000] * 3, ["AsKd", "AhKs", "2h4d"], "2c3d7h8c9d", blinds=(0, 100))
        play(hand, "call", "raise_to 201", "call", "call", "call", "call", "call")
        play(hand, "raise_to 100", "call", "fold", "call", "call")
        assert hand.shown[0] == 0
        assert [award.winners for award in hand.awards] == [((0, 402), (1, 401))]


class TestShowing:
    def test_with_no_bet_on_the_river_the_first_seat_shows_and_beaten_hands_are_mucked(
        self,
    ) -> None:
        """Aces show first; kings and queens need not."""
        hand = new_hand([1000] * 3, ["AsAh", "KsKh", "QsQh"], BOARD)
        play(hand, *["call"] * 12)
        assert hand.shown == [0]
        assert list(hand.ranks) == [0]

    def test_the_last_aggressor_of_the_river_shows_first(self) -> None:
        """Then clockwise; the first seat is beaten by then."""
        hand = new_hand([1000] * 3, ["QsQh", "KsKh", "AsAh"], BOARD)
        play(hand, *["call"] * 9, "call", "raise_to 100", "call", "call")
        assert hand.shown == [1, 2]

    def test_all_hands_are_shown_when_anybody_is_all_in(self) -> None:
        """Beaten hands are shown too, against chip passing."""
        hand = new_hand([1000, 1000, 300], ["AsAh", "KsKh", "QsQh"], BOARD)
        play(hand, "all-in", "call", "call", *["call"] * 6)
        assert hand.shown == [0, 1, 2]

    def test_an_all_in_on_the_river_shows_all_from_the_aggressor_on(self) -> None:
        hand = new_hand([1000] * 3, ["AsAh", "KsKh", "QsQh"], BOARD)
        play(hand, *["call"] * 9, "call", "call", "all-in", "call", "fold")
        assert hand.shown == [2, 0]

    def test_nobody_shows_when_everybody_else_folds(self) -> None:
        """The winner's cards stay secret."""
        hand = play(new_hand([1000] * 3, ["AsAh", "KsKh", "QsQh"], BOARD), "fold", "fold")
        assert hand.shown == []
        assert hand.ranks == {}


class TestPaying:
    def test_odd_chips_are_given_pot_by_pot(self) -> None:
        """88 among three and 59 between two: each pot gives its odd chip to its first winner."""
        hand = new_hand(
            [22, 100, 100, 100],
            ["AsKs", "AhKh", "AdKd", "2s5h"],
            "QcJcTh3d4s",
            blinds=(1, 2),
        )
        play(hand, "call", "raise_to 25", "call", "call", "raise_to 50", "fold", "call")
        play(hand, *["call"] * 6)
        assert hand.awards == [
            (88, (0, 1, 2), ((0, 30), (1, 29), (2, 29))),
            (59, (1, 2), ((1, 30), (2, 29))),
        ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stacks": [1000]}, "2 to 22 seats"),
        ({"stacks": [100] * 23}, "2 to 22 seats"),
        ({"stacks": [1000, 0]}, "positive"),
        ({"stacks": [1000, -5]}, "positive"),
        ({"stacks": [1000, 99.5]}, "whole numbers"),
        ({"stacks": [1000, True]}, "whole numbers"),
        ({"blinds": (100, 50)}, "small blind"),
        ({"blinds": (-1, 100)}, "not negative"),
        ({"blinds": (0, 0)}, "positive"),
        ({"antes": [10]}, "for every seat"),
        ({"antes": [10, -1]}, "not negative"),
        ({"holes": ["AsAh"]}, "two distinct cards"),
        ({"holes": ["AsAh", "AsKd"]}, "two distinct cards"),
        ({"holes": ["AsAh", "2cKd"]}, "two distinct cards"),
        ({"board": "2c3d7h8c"}, "five for the board"),
    ],
)
def test_what_no_table_could_have_is_refused(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {
        "stacks": [1000, 1000],
        "holes": ["AsAh", "KsKh"],
        "board": BOARD,
    } | changes
    with pytest.raises(ValueError, match=message):
        new_hand(**given)


def test_a_card_outside_the_deck_is_refused() -> None:
    with pytest.raises(ValueError, match="0 to 51"):
        type(new_hand([100, 100]))([100, 100], (50, 100), [(0, 1), (2, 52)], (3, 4, 5, 6, 7))


def test_the_largest_table_uses_the_deck_up() -> None:
    """22 seats, 5 cards on the board, 3 burned."""
    hand = new_hand([100] * 22)
    while not hand.is_over:
        play(hand, "call")
    assert sum(hand.stacks) == 2200


@pytest.mark.parametrize(
    ("amount", "winners", "shares"),
    [
        (12, [0, 1, 2], [4, 4, 4]),
        (13, [0, 1, 2], [5, 4, 4]),
        (17, [0, 2, 3], [6, 6, 5]),
        (11, [1, 2], [6, 5]),
        (2, [0, 1, 2], [1, 1, 0]),
    ],
)
def test_odd_chips_go_one_each_to_the_first_winners_left_of_the_button(
    amount: int, winners: list[int], shares: list[int]
) -> None:
    """Seats are numbered from there, so the first winners are the lowest seats."""
    assert list(split(amount, winners)) == list(zip(winners, shares, strict=True))
