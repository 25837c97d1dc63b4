"""Ranks are treys' ranks, looked up."""

import random
from collections import Counter
from itertools import combinations

import pytest
from casino_games.cards import DECK, NAMES, cards_from_text, cards_to_text
from casino_games.holdem.ranking import (
    BEST_RANK,
    KEYS,
    WORST_RANK,
    best_five,
    class_name,
    rank_cards,
    rank_keys,
    rank_showdown,
)
from treys import Card, Evaluator

TREYS = [Card.new(name) for name in NAMES]
EVALUATOR = Evaluator()
HANDS_PER_CLASS = {
    "Royal Flush": 4,
    "Straight Flush": 36,
    "Four of a Kind": 624,
    "Full House": 3_744,
    "Flush": 5_108,
    "Straight": 10_200,
    "Three of a Kind": 54_912,
    "Two Pair": 123_552,
    "Pair": 1_098_240,
    "High Card": 1_302_540,
}


@pytest.mark.full
def test_every_five_card_hand_has_treys_rank() -> None:
    """All 2,598,960 of them, and so the number of ranks and the hands in each class."""
    hands_by_rank: Counter[int] = Counter()
    evaluate = EVALUATOR.evaluate
    for first, second, third in combinations(DECK, 3):
        key = KEYS[first], KEYS[second], KEYS[third]
        front = [TREYS[first], TREYS[second], TREYS[third]]
        later = DECK[third + 1 :]
        ours = [rank_keys((*key, KEYS[a], KEYS[b])) for a, b in combinations(later, 2)]
        theirs = [evaluate(front, [TREYS[a], TREYS[b]]) for a, b in combinations(later, 2)]
        assert ours == theirs
        hands_by_rank.update(ours)
    assert sorted(hands_by_rank) == list(range(BEST_RANK, WORST_RANK + 1))
    hands_per_class: Counter[str] = Counter()
    for rank, hands in hands_by_rank.items():
        hands_per_class[class_name(rank)] += hands
    assert hands_per_class == HANDS_PER_CLASS


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_have_treys_rank_in_every_form(size: int) -> None:
    """Cards, keys and showdown are three ways to the same number."""
    generator = random.Random(size)
    for _ in range(15_000):
        cards = generator.sample(DECK, size)
        rank = EVALUATOR.evaluate([TREYS[card] for card in cards], [])
        assert rank_cards(cards) == rank
        assert rank_keys([KEYS[card] for card in cards]) == rank
        if size == 7:
            assert list(rank_showdown(cards[2:], [(cards[0], cards[1])])) == [rank]


def test_a_showdown_ranks_every_hand_on_the_shared_board() -> None:
    board = cards_from_text("2c3d7h8c9d")
    holes = [cards_from_text(text) for text in ("AsAh", "JsTh", "2d2h")]
    names = [class_name(rank) for rank in rank_showdown(board, holes)]
    assert names == ["Pair", "Straight", "Three of a Kind"]


def test_best_five_make_the_rank_of_the_whole_hand() -> None:
    """They come from the hand, are worth it, and are the first such five by height."""
    generator = random.Random(5)
    for _ in range(3_000):
        cards = generator.sample(DECK, generator.choice([5, 6, 7]))
        rank = rank_cards(cards)
        worth_it = [
            five
            for five in combinations(sorted(cards, reverse=True), 5)
            if rank_cards(five) == rank
        ]
        assert tuple(best_five(cards, rank)) == worth_it[0]


@pytest.mark.parametrize(
    ("hand", "five"),
    [
        ("AhKhQhJhTh9h8h", "AhKhQhJhTh"),
        ("Ah5h4h3h2hKhQh", "Ah5h4h3h2h"),
        ("Ah5c4d3s2h9c9d", "Ah5c4d3s2h"),
        ("KcKdKhKs2c3d4h", "KsKhKdKc4h"),
        ("AhAdKsKhQcQd2c", "AhAdKsKhQd"),
    ],
)
def test_best_five_of_hands_that_are_easy_to_get_wrong(hand: str, five: str) -> None:
    """Six suited cards, the wheel, quads with a kicker, three pairs."""
    cards = cards_from_text(hand)
    assert cards_to_text(best_five(cards, rank_cards(cards))) == five
