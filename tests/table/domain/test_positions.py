"""Button and blinds from hand to hand, as seats are taken and left."""

from casino_table.domain.seat import Seat, next_deal
from hypothesis import given
from hypothesis import strategies as st


def seats(*numbers: int, new: tuple[int, ...] = (), broke: tuple[int, ...] = ()) -> list[Seat]:
    """Return seats with chips; `new` ones have not been dealt in yet."""
    return [
        Seat(n, f"p{n}", f"P{n}", f"http://p{n}", "act", 0 if n in broke else 100, n in new)
        for n in numbers
    ]


def dealt(deal_seats: tuple[Seat, ...]) -> list[int]:
    return [seat.number for seat in deal_seats]


class TestFirstHand:
    def test_the_button_is_the_lowest_seat(self) -> None:
        deal = next_deal(seats(1, 3, 4, new=(1, 3, 4)), None, 1)
        assert (deal.button_seat, deal.big_blind_seat) == (1, 4)
        assert dealt(deal.seats) == [1, 3, 4]

    def test_heads_up_the_button_is_the_small_blind(self) -> None:
        deal = next_deal(seats(0, 5, new=(0, 5)), None, 1)
        assert (deal.button_seat, deal.big_blind_seat) == (0, 5)


class TestMoving:
    def test_button_and_blinds_move_one_seat_per_hand(self) -> None:
        table = seats(0, 1, 2, 3)
        last, walk = None, []
        for number in range(1, 6):
            deal = next_deal(table, last, number)
            walk.append((deal.button_seat, deal.big_blind_seat))
            last = deal.big_blind_seat
        assert walk == [(0, 2), (1, 3), (2, 0), (3, 1), (0, 2)]

    def test_a_busted_seat_is_skipped(self) -> None:
        deal = next_deal(seats(0, 1, 2, 3, broke=(3,)), 2, 9)
        assert (deal.button_seat, deal.big_blind_seat) == (1, 0)
        assert dealt(deal.seats) == [0, 1, 2]

    def test_nobody_posts_the_big_blind_twice_when_three_become_two(self) -> None:
        """The last big blind is the small blind, on the button."""
        deal = next_deal(seats(0, 1, 2, broke=(0,)), 2, 9)
        assert (deal.button_seat, deal.big_blind_seat) == (2, 1)


class TestNewcomers:
    def test_a_newcomer_is_not_dealt_in_at_once(self) -> None:
        deal = next_deal(seats(0, 1, 2, 3, new=(3,)), 0, 2)
        assert dealt(deal.seats) == [0, 1, 2]
        assert deal.big_blind_seat == 1

    def test_a_newcomer_is_dealt_in_as_the_big_blind(self) -> None:
        deal = next_deal(seats(0, 1, 2, 3, new=(3,)), 2, 4)
        assert dealt(deal.seats) == [0, 1, 2, 3]
        assert deal.big_blind_seat == 3

    def test_the_big_blind_comes_round_to_a_newcomer_on_the_lowest_seat(self) -> None:
        deal = next_deal(seats(0, 1, 2, 3, new=(0,)), 3, 4)
        assert dealt(deal.seats) == [0, 1, 2, 3]
        assert deal.big_blind_seat == 0

    def test_a_newcomer_is_dealt_in_at_once_beside_a_single_player(self) -> None:
        deal = next_deal(seats(0, 1, 4, new=(1, 4)), 0, 2)
        assert dealt(deal.seats) == [0, 1, 4]
        assert deal.big_blind_seat == 1

    def test_two_players_go_on_without_a_newcomer(self) -> None:
        deal = next_deal(seats(0, 2, 3, new=(3,)), 3, 2)
        assert dealt(deal.seats) == [0, 2]
        assert (deal.button_seat, deal.big_blind_seat) == (2, 0)


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 9), max_size=10), st.sets(st.integers(0, 9), max_size=2)),
        min_size=2,
        max_size=30,
    )
)
def test_both_blinds_are_posted_and_nobody_posts_the_big_one_twice(
    story: list[tuple[set[int], set[int]]],
) -> None:
    here: dict[int, Seat] = {n: seats(n, new=(n,))[0] for n in (0, 1)}
    last, hands = None, 0
    for come, go in story:
        for number in come - here.keys():
            here[number] = seats(number, new=(number,))[0]
        for number in go:
            here.pop(number, None)
        if len(here) < 2:
            continue
        deal = next_deal(list(here.values()), last, hands + 1)
        hands += 1
        numbers = dealt(deal.seats)
        assert len(numbers) >= 2
        assert numbers == sorted(set(numbers))
        assert deal.big_blind_seat in numbers
        assert deal.button_seat in numbers
        assert deal.big_blind_seat != last
        assert (deal.button_seat == deal.big_blind_seat) is False
        for seat in deal.seats:
            seat.is_new = False
        last = deal.big_blind_seat
