"""Hands of a learner against house styles: orders, answers, results, groups."""

from collections.abc import Iterator
from random import Random
from statistics import fmean, variance
from typing import Any

import pytest
from casino_games import GameError, game_class, game_types, offers
from casino_match.errors import MatchError
from casino_match.play.learner_table import MOST_SEATS, LearnerTable, LearnerView

FIVE = {"seats": 5, "opponents": ["tight", "caller", "maniac", "random"]}


def turns(table: LearnerTable, dice: Random, **order: Any) -> Iterator[LearnerView]:
    """Yield all views of a hand, with any offered actions."""
    view = table.deal(**order)
    yield view
    while view.result is None:
        view = table.answer(offers.least_of(dice.choice(view.legal_actions)))
        yield view


def ended(table: LearnerTable, dice: Random, **order: Any) -> LearnerView:
    *_, last = turns(table, dice, **order)
    return last


def called(view: LearnerView) -> str:
    return "check" if {"action_type": "check"} in view.legal_actions else "call"


@pytest.mark.parametrize("game", game_types())
def test_every_game_is_played_with_all_numbers_of_seats(game: str) -> None:
    rules = game_class(game)
    for seats in range(rules.min_players, min(rules.max_players, MOST_SEATS) + 1):
        for seating in range(seats):
            order = {"game": game, "seats": seats, "seed": 5, "seating": seating}
            first = [*turns(LearnerTable(), Random(1), **order)]
            assert first == [*turns(LearnerTable(), Random(1), **order)]
            assert first[-1].question is None
            assert first[-1].facts["seating"] == seating
            for view in first[:-1]:
                assert view.question is not None
                assert view.question["availableActions"] == view.legal_actions
                assert view.facts["outcome"] in {None, "ok"}


def test_a_seating_moves_everybody_on_and_leaves_the_cards_of_the_seats() -> None:
    table = LearnerTable()
    dealt = []
    for seating in (0, 1):
        view = table.deal(seed=7, seats=2, seating=seating, opponents="caller")
        while view.result is None:
            public = view.question and view.question["state"]["public"]
            view = table.answer(called(view))
        assert public
        dealt.append((public["community_cards"], view.facts["net"]))
    (board, won), (same_board, lost) = dealt
    assert board == same_board
    assert won == -lost != 0


def test_equal_players_tie_over_all_seatings_of_a_deck() -> None:
    """The learner answers as a caller, and so do the others."""
    table = LearnerTable()
    for seed in range(20):
        total = 0.0
        for seating in range(4):
            view = table.deal(seed=seed, seats=4, seating=seating, opponents="caller")
            while view.result is None:
                view = table.answer(called(view))
            total += view.facts["net"]
        assert total == pytest.approx(0)


def test_without_a_seed_each_deck_is_dealt_in_every_seating() -> None:
    drawn = iter(range(100))
    table = LearnerTable(lambda _bits: next(drawn))
    places = []
    for _ in range(5):
        table.deal(seats=2)
        assert table.order
        places.append((table.order.seed, table.order.seating))
    assert places == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
    table.deal(seats=3)
    assert table.order
    assert (table.order.seed, table.order.seating) == (3, 0)


def test_results_have_the_mean_of_nets_and_a_smaller_variance() -> None:
    table, dice = LearnerTable(), Random(3)
    ends = [
        ended(table, dice, seed=seed, seating=seating, **FIVE)
        for seed in range(60)
        for seating in range(5)
    ]
    nets = [end.facts["net"] for end in ends]
    results = [end.result or 0.0 for end in ends]
    luck = [end.facts["luck"] for end in ends]
    assert [net - by for net, by in zip(nets, luck, strict=True)] == pytest.approx(
        results, abs=1e-6
    )
    assert abs(fmean(luck)) < 4 * (variance(luck) / len(luck)) ** 0.5
    assert 0 < 2 * variance(results) < variance(nets)


def test_a_first_wrong_answer_is_asked_again_and_a_second_one_is_the_default_action() -> None:
    table = LearnerTable()
    first = table.deal(seed=1, seats=2)
    again = table.answer("I think about it")
    assert again.question
    assert first.question
    assert again.legal_actions == first.legal_actions
    assert again.question["rejected"]["reason"] == "illegal"
    assert "Your last answer was refused" in again.text
    assert (again.facts["outcome"], again.facts["faults"]) == ("rejected", 1)
    folded = table.answer({"action_type": "raise", "amount": 1})
    assert (folded.facts["outcome"], folded.facts["faults"]) == ("illegal", 2)
    table.deal(seed=1, seats=2)
    table.answer("what?")
    assert table.answer("call").facts["outcome"] == "retried"


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"seats": 1}, "seats: texas-holdem has 2 to 9 here, not 1"),
        ({"seats": 10}, "seats: Input should be less than or equal to 9"),
        ({"seats": 3, "seating": 3}, "seating: 3 is not from 0 to 2"),
        ({"seed": True}, "seed: Input should be a valid integer"),
        ({"opponents": "reckless"}, "opponents: there is no style reckless"),
        ({"opponents": ["tight", "tight"]}, "opponents: 2 seats have 1, not 2"),
        ({"game": "kuhn_poker", "opponents": "tight"}, "opponents: of kuhn_poker they are generic"),
        ({"config": {"big_blind": 0}}, "big_blind: Input should be greater than 0"),
        ({"color": "red"}, "color: Extra inputs are not permitted"),
    ],
)
def test_a_refused_order_names_the_field_and_leaves_the_hand(
    order: dict[str, Any], says: str
) -> None:
    table = LearnerTable()
    with pytest.raises(MatchError, match="reset deals first"):
        table.answer("call")
    table.deal(seed=1, seats=2)
    before = table.order
    with pytest.raises((MatchError, GameError), match=says):
        table.deal(**order)
    assert table.order is before
    assert table.answer("fold").result == -0.5
    with pytest.raises(MatchError, match="the hand is over"):
        table.answer("call")
