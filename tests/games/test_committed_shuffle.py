"""The cards of a fair deal are uniform whatever was committed to, and nobody has a second try."""

import hashlib
import hmac
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations

import pytest
from casino_agentkit import Contributor, UnfairDeal
from casino_agentkit.canonical_json import decoded, encoded
from casino_agentkit.fair_deal import (
    DealKey,
    Side,
    block_entropy,
    block_root,
    commitment_to,
    deck_order_of,
    deck_secret,
    shuffled,
)
from support.players.fair_table import PLAN, FairTable

HANDS, HANDS_OF_BLOCK = 100_000, 100
SEATS = 6
ACE = 12
SIDES: tuple[Side, Side] = ("A", "B")
IN_ORDER = list(range(52))
ACES_ON_TOP = [51, 50, 49, 48, *range(48)]
COMMITTED: list[dict[Side, list[int]]] = [
    {"A": IN_ORDER, "B": IN_ORDER},
    {"A": ACES_ON_TOP, "B": ACES_ON_TOP},
    {"A": IN_ORDER, "B": IN_ORDER[::-1]},  # what is dealt could depend on which deck is played
]
_ONE_IN_A_MILLION = 4.753
"""Standard deviations of a normal variable."""


def by_the_book(key: bytes, use: bytes, count: int, draw: int) -> list[int]:
    """Shuffle as docs/fair-deal.md tells it, with draws of so many bytes."""
    stream = b"".join(
        hmac.new(
            key, b"a2a-casino/fair/v1/" + use + number.to_bytes(8, "big"), hashlib.sha256
        ).digest()
        for number in range(4 * count)
    )
    draws = (
        int.from_bytes(stream[start : start + draw], "big") for start in range(0, len(stream), draw)
    )
    order = list(range(count))
    for place in range(count - 1):
        candidates = count - place
        while (drawn := next(draws)) >= 256**draw - 256**draw % candidates:
            pass
        other = place + drawn % candidates
        order[place], order[other] = order[other], order[place]
    return order


@pytest.mark.parametrize("count", [0, 1, 2, 3, 6, 37, 52, 128, 129, 255, 256, 257, 312, 416])
def test_the_shuffle_is_the_documented_construction(count: int) -> None:
    """Written down a second time; and the first places do not depend on how many are asked for."""
    for key in (b"", b"k", hashlib.sha256(b"key").digest()):
        for use in (b"order", b"values"):
            expected = by_the_book(key, use, count, 1 if count <= 256 else 4)
            assert shuffled(key, use, count) == expected
            for first in (0, 1, count // 2, count):
                assert shuffled(key, use, count, first) == expected[:first]


def most_chi_square(classes: int) -> float:
    """Return what chi-square exceeds once in a million times, by Wilson and Hilferty."""
    ratio = 2 / (9 * (classes - 1))
    return float((classes - 1) * (1 - ratio + _ONE_IN_A_MILLION * ratio**0.5) ** 3)


def chi_square(seen: Counter[int], weights: Sequence[int]) -> float:
    """Return chi-square of classes that are likely by these weights."""
    each = seen.total() / sum(weights)
    return sum(
        (seen[number] - each * weight) ** 2 / (each * weight)
        for number, weight in enumerate(weights)
    )


@cache
def keys() -> list[tuple[Side, bytes]]:
    """Return which deck is played, and its values, of hands with one honest contributor.

    All others know the table's secret, and give what they want: nothing but zeros here.
    """
    honest = random.Random("the honest contributor's entropy")
    dealt = []
    for block in range(HANDS // HANDS_OF_BLOCK):
        root = hashlib.sha256(b"root %d" % block).digest()
        entropy = block_entropy(root, (bytes(32), honest.randbytes(32), bytes(32)))
        for hand in range(HANDS_OF_BLOCK):
            key = DealKey(entropy, hand)
            dealt.append((key.played, bytes(key.values(52))))
    return dealt


def places(committed: dict[Side, list[int]]) -> list[tuple[int, ...]]:
    """Return the cards of all hands by place, of the leaves of all seats and of the board."""
    first = 2 * SEATS + 5
    tables = {side: bytes(order[:first]) for side, order in committed.items()}
    dealt = (tables[side].translate(values.ljust(256)) for side, values in keys())
    return list(zip(*dealt, strict=True))


def pair_class(first: int, second: int) -> int:
    """Return which of the 169 kinds of a hand two cards are: pairs, suited, and others."""
    high, low = max(first // 4, second // 4), min(first // 4, second // 4)
    return 13 * low + high if first % 4 == second % 4 else 13 * high + low


def kinds_of(pairs: Iterable[tuple[int, int]]) -> Counter[int]:
    kinds: Counter[int] = Counter()
    for pair, times in Counter(pairs).items():
        kinds[pair_class(*pair)] += times
    return kinds


_KINDS = kinds_of(combinations(IN_ORDER, 2))
WEIGHTS = [_KINDS[kind] for kind in range(169)]


@pytest.mark.parametrize("committed", COMMITTED, ids=["in-order", "aces-on-top", "two-orders"])
def test_every_card_and_pair_is_dealt_everywhere_equally_often(
    committed: dict[Side, list[int]],
) -> None:
    """Chi-square over 100,000 hands: each place, and each two cards of one leaf or of two."""
    by_place = places(committed)
    for cards in by_place:
        assert chi_square(Counter(cards), [1] * 52) < most_chi_square(52)
    for place in range(len(by_place) - 1):
        kinds = kinds_of(zip(by_place[place], by_place[place + 1], strict=True))
        assert chi_square(kinds, WEIGHTS) < most_chi_square(169)
    is_first = Counter(int(side == "A") for side, _ in keys())
    assert chi_square(is_first, [1, 1]) < most_chi_square(2)


def test_a_small_bias_would_be_seen() -> None:
    """100,000 first cards are not uniform if no byte is skipped."""
    stream = random.Random("bytes").randbytes(HANDS)
    biased = Counter(byte % 52 for byte in stream)
    fair = Counter(byte % 52 for byte in stream if byte < 256 - 256 % 52)
    assert chi_square(fair, [1] * 52) < most_chi_square(52) < chi_square(biased, [1] * 52)


def test_who_contributes_last_finds_better_cards_and_cannot_have_them() -> None:
    """It knows the table's secret and all other entropy, and tries 10,000 values of its own.

    With some of them its friend would have two aces. What it committed itself to admits one value,
    and another commitment comes too late.
    """
    honest = Contributor(lambda: hashlib.sha256(b"honest").digest())
    table = FairTable()
    committed = honest.answer(table.request())
    revealed = honest.answer(table.commit(committed))
    honest_entropy, root = decoded(revealed["entropy"]), block_root(table.commitment)
    decks = {side: deck_order_of(deck_secret(table.secret, 1, side), PLAN) for side in SIDES}
    better = []
    for number in range(10_000):
        entropy = hashlib.sha256(b"try %d" % number).digest()
        key = DealKey(block_entropy(root, [entropy, honest_entropy]), 1)
        values, (first, second) = key.values(52), decks[key.played][2:4]  # the friend's leaf
        if values[first] // 4 == values[second] // 4 == ACE:
            better.append(entropy)
        fits = [{"entropy": encoded(entropy)}, {"playerId": "player-1", **revealed}]
        with pytest.raises(UnfairDeal, match="that of the lobby does not fit"):
            honest.answer(table.request(contributed={"block": "main/1/1", "contributions": fits}))
    assert 20 < len(better) < 80  # one in 221
    for entropy in better:
        parts = [{"commitment": commitment_to(entropy)}, *table.commitment["commitments"][1:]]
        with pytest.raises(UnfairDeal, match="has had another one before"):
            honest.answer(table.request(commitment={**table.commitment, "commitments": parts}))
    assert honest.answer(table.contribute(revealed)) == {}
    proof, cards = table.deal(1)
    honest.check("main", "player-1", 1, proof, cards, leaf=0)
