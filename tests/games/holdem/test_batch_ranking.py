"""Many hands at once have the same ranks as one by one."""

import random

import numpy as np
from casino_games.cards import DECK, cards_from_text
from casino_games.holdem.batch_ranking import (
    BITS,
    KEYS,
    NO_CARDS,
    rank_columns,
    rank_sums,
    rank_totals,
)
from casino_games.holdem.ranking import rank_cards


def test_a_batch_ranks_like_the_dictionary() -> None:
    generator = random.Random(1)
    hands = [generator.sample(DECK, 7) for _ in range(50_000)]
    ranks = rank_columns(np.array(hands, np.uint8).T)
    assert ranks.tolist() == [rank_cards(hand) for hand in hands]


def test_totals_may_mix_cards_for_all_with_a_card_for_each() -> None:
    """So a board is added once: here six fixed cards and every seventh."""
    fixed = cards_from_text("AhKhQh2c3d9h")
    column = np.array([card for card in DECK if card not in fixed], np.uint8)
    totals = NO_CARDS + KEYS.take(fixed).sum() + KEYS.take(column)
    ranks = rank_totals(totals, [*fixed, column])
    assert ranks.tolist() == [rank_cards([*fixed, card]) for card in column.tolist()]


def test_sums_of_bits_replace_the_cards() -> None:
    """So the boards of many hands are added once; the bits are asked for flushes only."""
    generator = random.Random(2)
    hands = [generator.sample(DECK, 7) for _ in range(20_000)]
    columns = np.array(hands, np.uint8).T
    totals = KEYS.take(columns).sum(axis=0) + NO_CARDS
    ranks = rank_sums(totals, lambda places: BITS.take(columns[:, places]).sum(axis=0))
    assert ranks.tolist() == rank_columns(columns).tolist()
