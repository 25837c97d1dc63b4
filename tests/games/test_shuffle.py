"""Decks follow from seeds on every platform, and are uniform."""

import hashlib
import hmac

import pytest
from casino_games.cards import cards_to_text
from casino_games.shuffle import deck_order, derive_seed

VECTOR = (
    "2cJcTcKs9c9s8s3s4dAsTd5cQc4s2d6d8h2sJhAc9dQs2hTs9h8c"
    "6s7h4c4h6cAd3h3c7sJdAh8d5s7c3d7dKd6h5hKh5dKcThJsQhQd"
)


def by_the_book(seed: str) -> list[int]:
    """Shuffle as the module's docstring tells it, written down a second time."""
    stream = b"".join(
        hmac.new(
            seed.encode(), b"a2a-casino/deck/v1" + number.to_bytes(8, "big"), hashlib.sha256
        ).digest()
        for number in range(8)
    )
    deck = list(range(52))
    taken = iter(stream)
    for place in range(51):
        candidates = 52 - place
        byte = next(taken)
        while byte >= 256 - 256 % candidates:
            byte = next(taken)
        other = place + byte % candidates
        deck[place], deck[other] = deck[other], deck[place]
    return deck


def test_the_deck_of_a_seed_is_fixed_for_good() -> None:
    """Implementations in other languages can be checked against this vector."""
    assert cards_to_text(deck_order("a2a-casino")) == VECTOR


@pytest.mark.parametrize("seed", ["", "1", "a2a-casino", "Grüße", "x" * 100])
def test_the_deck_is_the_documented_construction(seed: str) -> None:
    assert deck_order(seed) == by_the_book(seed)


@pytest.mark.parametrize("count", [0, 1, 12, 26, 51, 52])
def test_a_partial_deal_is_the_beginning_of_the_full_one(count: int) -> None:
    """The first cards do not depend on how many are dealt."""
    assert deck_order("a seed", count) == deck_order("a seed")[:count]


@pytest.mark.parametrize("count", [-1, 53])
def test_a_deck_has_52_cards(count: int) -> None:
    """No more can be dealt, and no fewer than none."""
    with pytest.raises(ValueError, match="52 cards"):
        deck_order("a seed", count)


def test_every_card_comes_to_every_place_equally_often() -> None:
    """Chi-square over 20,000 decks: each place stays below the 1-in-a-million bound."""
    decks = 20_000
    counts = [[0] * 52 for _ in range(52)]
    for number in range(decks):
        for place, card in enumerate(deck_order(f"chi-square {number}")):
            counts[place][card] += 1
    expected = decks / 52
    for of_place in counts:
        chi_square = sum((seen - expected) ** 2 / expected for seen in of_place)
        assert chi_square < 114  # 51 degrees of freedom: p = 1e-6


def test_a_derived_seed_is_the_documented_construction() -> None:
    message = b"a2a-casino/seed/v1" + b"\x00\x00\x00\x04hand" + b"\x00\x00\x00\x0217"
    expected = hmac.new(b"session", message, hashlib.sha256).hexdigest()
    assert derive_seed("session", "hand", 17) == expected


def test_derived_seeds_differ_by_seed_and_by_every_label() -> None:
    """Labels cannot run into each other, and a deck is no derived seed."""
    seeds = {
        derive_seed("s"),
        derive_seed("s", ""),
        derive_seed("s", "hand", 1),
        derive_seed("s", "hand", 2),
        derive_seed("s", "hand1"),
        derive_seed("s", "han", "d1"),
        derive_seed("t", "hand", 1),
    }
    assert len(seeds) == 7
