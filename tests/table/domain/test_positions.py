"""Button and blinds from hand to hand, as seats are taken and left."""

import random
from collections import Counter

import pytest
from casino_contracts import ButtonRule, Continuation, SeatAssignment, StartGameInput
from casino_table.domain.admission import session_start
from casino_table.domain.seat import HandPositions, Places, Seat, next_deal
from casino_table.domain.table import Table
from hypothesis import given, settings
from hypothesis import strategies as st
from support.table.table_side import config


def seats(*numbers: int, new: tuple[int, ...] = (), broke: tuple[int, ...] = ()) -> list[Seat]:
    """Return seats with chips; `new` ones have not been dealt in yet."""
    return [
        Seat(n, f"p{n}", f"P{n}", f"http://p{n}", "act", 0 if n in broke else 100, n in new)
        for n in numbers
    ]


def dealt(deal: HandPositions) -> list[int]:
    return [seat.number for seat in deal.seats]


def placed(deal: HandPositions) -> tuple[int, int | None, int]:
    """Return the seats of button, small blind (None: nobody posts it) and big blind."""
    small, big = deal.places
    return deal.button_seat, small if deal.has_small_blind else None, big


class TestFirstHand:
    def test_the_button_is_the_lowest_seat(self) -> None:
        deal = next_deal(seats(1, 3, 4, new=(1, 3, 4)), None, 1)
        assert placed(deal) == (1, 3, 4)
        assert dealt(deal) == [1, 3, 4]

    def test_heads_up_the_button_is_the_small_blind(self) -> None:
        deal = next_deal(seats(0, 5, new=(0, 5)), None, 1)
        assert placed(deal) == (0, 0, 5)


@pytest.mark.parametrize("rule", ["dead", "moving"])
class TestEitherRule:
    def test_button_and_blinds_move_one_seat_per_hand(self, rule: ButtonRule) -> None:
        table = seats(0, 1, 2, 3)
        last, walk = None, []
        for number in range(1, 6):
            deal = next_deal(table, last, number, rule)
            walk.append(placed(deal))
            last = deal.places
        assert walk == [(0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1), (0, 1, 2)]

    def test_nobody_posts_the_big_blind_twice_when_three_become_two(self, rule: ButtonRule) -> None:
        """The last big blind is the small blind, on the button."""
        deal = next_deal(seats(0, 1, 2, broke=(0,)), Places(1, 2), 9, rule)
        assert placed(deal) == (2, 2, 1)

    def test_two_become_three_with_the_newcomer_in_the_big_blind(self, rule: ButtonRule) -> None:
        deal = next_deal(seats(0, 1, 2, new=(2,)), Places(0, 1), 9, rule)
        assert placed(deal) == (0, 1, 2)

    def test_a_hand_without_known_small_blind_follows_the_big_one(self, rule: ButtonRule) -> None:
        """As after the continuation of a lobby that does not know the dead button."""
        assert placed(next_deal(seats(0, 1, 2, 3), Places(None, 2), 9, rule)) == (1, 2, 3)


class TestDeadButton:
    def test_the_small_blind_of_a_busted_big_blind_is_dead(self) -> None:
        """And in the next hand the button."""
        table = seats(0, 1, 2, 3, broke=(2,))
        second = next_deal(table, Places(1, 2), 2)
        assert placed(second) == (1, None, 3)
        third = next_deal(table, second.places, 3)
        assert placed(third) == (2, 3, 0)
        assert placed(next_deal(table, third.places, 4)) == (3, 0, 1)

    def test_heads_up_nothing_is_dead(self) -> None:
        deal = next_deal(seats(0, 1, 2, 3, broke=(1, 2)), Places(1, 2), 2)
        assert placed(deal) == (0, 0, 3)

    def test_a_game_that_begins_anew_among_newcomers_has_all_blinds(self) -> None:
        """Nobody has paid for a place: the small blind of the busted seat 0 is not dead."""
        deal = next_deal(seats(1, 2, 4, new=(1, 4)), Places(2, 0), 2)
        assert dealt(deal) == [1, 2, 4]
        assert placed(deal) == (2, 4, 1)

    def test_seats_between_the_last_blinds_get_the_button_first(self) -> None:
        """A lobby may go on with seats that waited at the table before."""
        assert placed(next_deal(seats(0, 1, 2, 3), Places(0, 2), 9)) == (1, 2, 3)

    @pytest.mark.parametrize("last", [Places(7, 99), Places(99, 99), Places(0, 99), Places(3, 3)])
    def test_places_that_cannot_be_still_give_a_hand(self, last: Places) -> None:
        deal = next_deal(seats(0, 1, 2, 3), last, 9)
        button, small, big = placed(deal)
        assert big in dealt(deal)
        assert len({button, small, big}) == 3


def test_the_moving_button_skips_empty_seats() -> None:
    deal = next_deal(seats(0, 1, 2, 3, broke=(1,)), Places(1, 2), 2, "moving")
    assert placed(deal) == (0, 2, 3)
    deal = next_deal(seats(0, 1, 2, 3, broke=(2,)), Places(1, 2), 2, "moving")
    assert placed(deal) == (0, 1, 3)


def table_of(*numbers: int, **rules: object) -> Table:
    """Return a table with a long session before its first hand."""
    made = Table("t1", "Casino", config(maxSeats=10, **rules), 1, "texas-holdem", {})
    for seat in seats(*numbers, new=numbers):
        made.take_seat(seat)
    made.begin(session_start(made, StartGameInput(max_hands=10_000)))
    return made


def bust(table: Table, deal: HandPositions, number: int) -> None:
    """Let another seat win all chips of a seat."""
    winner = next(seat for seat in deal.seats if seat.number != number)
    scores = dict.fromkeys([seat.player_id for seat in deal.seats], 0)
    scores[f"p{number}"] -= table.seats[number].stack
    scores[winner.player_id] += table.seats[number].stack
    table.settle(deal, scores)
    table.free_busted()


class TestTable:
    @pytest.mark.parametrize(
        ("rules", "second"), [({}, (1, 2, 3)), ({"buttonRule": "moving"}, (0, 2, 3))]
    )
    def test_the_room_sets_the_rule(
        self, rules: dict[str, object], second: tuple[int, int, int]
    ) -> None:
        made = table_of(0, 1, 2, 3, **rules)
        bust(made, made.next_deal(made.button_rule), 1)
        assert placed(made.next_deal(made.button_rule)) == second

    def test_other_games_have_no_dead_button(self) -> None:
        assert Table("t1", "Casino", config(), 1, "leduc_poker", {}).button_rule == "moving"

    def test_a_cancelled_hand_is_dealt_alike_again(self) -> None:
        """Also after a restart in it, and with a newcomer that came in with the big blind."""
        made = table_of(0, 1, 2)
        first = made.next_deal()
        made.settle(first, dict.fromkeys(["p0", "p1", "p2"], 0))
        made.take_seat(*seats(3, new=(3,)))
        second = made.next_deal()
        assert 3 in dealt(second)
        made = Table.from_json(made.to_json())
        made.cancel(second.number)
        assert made.seats[3].is_new
        again = made.next_deal()
        assert (placed(again), dealt(again)) == (placed(second), dealt(second))
        assert again.number == second.number + 1

    def test_the_state_of_an_older_table_can_be_read(self) -> None:
        made = table_of(0, 1, 2, 3)
        made.settle(made.next_deal(), dict.fromkeys(["p0", "p1", "p2", "p3"], 0))
        old = made.to_json()
        for name in ("last_small_blind", "before_hand"):
            del old[name]
        assert placed(Table.from_json(old).next_deal()) == (1, 2, 3)

    @pytest.mark.parametrize(("small", "button"), [(1, 1), (None, 0)])
    def test_another_table_goes_on_with_the_dead_button(
        self, small: int | None, button: int
    ) -> None:
        """A lobby that does not say where the small blind was gets the last seat before that."""
        made = Table("t1", "Casino", config(), 2, "texas-holdem", {})
        took = [
            SeatAssignment(
                player_id=f"p{number}",
                display_name="P",
                seat_number=number,
                stack=100,
                agent_card_url="http://p",
            )
            for number in (0, 2, 3)
        ]
        made.go_on(
            took,
            Continuation(hand_number=1, hand_count=1, big_blind_seat=2, small_blind_seat=small),
        )
        assert placed(made.next_deal()) == (button, 2, 3)


def check_turns(deal: HandPositions, last: HandPositions, free: set[int]) -> None:
    """Check a hand among settled players against the last one; `free` are the empty seats."""
    _, small, big = placed(deal)
    before = last.places.big_blind
    after = ((before + steps) % 10 for steps in range(1, 11))
    assert big == next(number for number in after if number not in free)
    assert big != before, "nobody posts it twice running"
    if len(deal.seats) == 2:
        assert (small, big) == (deal.button_seat, dealt(deal)[1 - deal.button])
        return
    due = next(seat for seat in last.seats if seat.number == before)
    assert small == (before if due in deal.seats else None), "who had the big blind is next"
    if len(last.seats) > 2:
        assert deal.button_seat == last.places.small_blind
    order = [*dealt(deal)[deal.button + 1 :], *dealt(deal)[: deal.button + 1]]
    assert order[0 if small is None else 1] == big
    assert small in {None, order[0]}


def play(table: Table, deal: HandPositions, dice: random.Random) -> None:
    """Settle a hand in which up to two players lose all their chips to another one."""
    players = [seat.player_id for seat in deal.seats]
    winner, *losers = dice.sample(players, min(len(players), dice.choice([1, 1, 1, 2, 3])))
    scores = dict.fromkeys(players, 0)
    scores |= {name: -table.seat_of(name).stack for name in losers}
    scores[winner] = -sum(scores.values())
    table.settle(deal, scores)


@given(st.randoms(use_true_random=False), st.integers(2, 10))
@settings(max_examples=60, deadline=None)
def test_everybody_pays_both_blinds_in_turn(dice: random.Random, first: int) -> None:
    """While seats bust, leave, come, are taken by others, and hands are cancelled."""
    made = table_of(*dice.sample(range(10), first))
    big_blinds: Counter[int] = Counter()
    last, entered = None, 10
    for _ in range(60):
        settled = [seat for seat in made.seats.values() if not seat.is_new]
        free = {*range(10)} - made.seats.keys()
        deal = made.next_deal()
        if dice.random() < 0.1:
            made.cancel(deal.number)
            repeated = made.next_deal()
            assert (placed(repeated), repeated.seats) == (placed(deal), deal.seats)
        if last is not None and len(settled) > 1:
            check_turns(deal, last, free)
            came = [seat.number for seat in deal.seats if seat not in settled]
            assert came in ([], [deal.places.big_blind]), "a newcomer begins with the big blind"
        big_blinds[deal.places.big_blind] += 1
        play(made, deal, dice)
        for seat in made.seats.values():
            seat.is_leaving = dice.random() < 0.05
        gone = [*made.free_busted(), *made.free_leaving()]
        free = {*range(10)} - made.seats.keys()
        few = max(dice.choice([0, 0, 1, 2]), 2 - len(made.seats))
        for number in dice.sample(sorted(free), min(len(free), few)):
            (seat,) = seats(number, new=(number,))
            seat.player_id, entered = f"q{entered}", entered + 1
            made.take_seat(seat)
            gone.append(seat)
        if gone:
            big_blinds.clear()
        counts = [big_blinds[number] for number in made.seats]
        assert max(counts) - min(counts) <= 1, "in an orbit everybody posts it once"
        last = deal
