"""Random numbers follow from seeds on every platform, and are uniform."""

import hashlib
import hmac
from collections import Counter
from itertools import count, permutations

import pytest
from casino_games.shuffle import Chance

TAG = b"a2a-casino/test/v1"
NUMBERS = [1, 14, 16, 6, 36, 20, 28, 26, 3, 12, 21, 27]
ORDER = "bceihjgfda"


def by_the_book(seed: str, limit: int, draws: int) -> list[int]:
    """Draw as the module's docstring tells it, written down a second time."""
    stream = b"".join(
        hmac.new(seed.encode(), TAG + number.to_bytes(8, "big"), hashlib.sha256).digest()
        for number in range(draws)
    )
    drawn: list[int] = []
    for place in count(0, 4):
        number = int.from_bytes(stream[place : place + 4], "big")
        if number < 2**32 - 2**32 % limit:
            drawn.append(number % limit)
        if len(drawn) == draws:
            return drawn
    raise AssertionError


def test_what_a_seed_has_in_store_is_fixed_for_good() -> None:
    """Implementations in other languages can be checked against these vectors."""
    chance = Chance("a2a-casino", TAG)
    assert [chance.below(37) for _ in range(12)] == NUMBERS
    assert Chance("a2a-casino", TAG).shuffled("abcdefghij") == list(ORDER)


@pytest.mark.parametrize("seed", ["", "1", "Grüße", "x" * 100])
@pytest.mark.parametrize("limit", [1, 2, 37, 2**31 + 1, 2**32])
def test_numbers_are_the_documented_construction(seed: str, limit: int) -> None:
    """Also where nearly half of all draws are taken again."""
    chance = Chance(seed, TAG)
    assert [chance.below(limit) for _ in range(40)] == by_the_book(seed, limit, 40)


@pytest.mark.parametrize("limit", [0, -1, 2**32 + 1])
def test_there_is_no_number_below_nothing(limit: int) -> None:
    """Limits below 1 or above four bytes are refused."""
    with pytest.raises(ValueError, match="limit"):
        Chance("seed", TAG).below(limit)


def test_a_tag_keeps_uses_apart() -> None:
    draws = [[Chance("seed", tag).below(2**32) for _ in range(2)] for tag in (b"a", b"b")]
    assert draws[0] != draws[1]


def test_every_pocket_comes_equally_often() -> None:
    """Chi-squared over 37 pockets: 67.99 is its 99.9 % point with 36 degrees of freedom."""
    spins = 37_000
    hits = Counter(Chance(f"seed {spin}", TAG).below(37) for spin in range(spins))
    assert sum((hits[pocket] - 1000) ** 2 / 1000 for pocket in range(37)) < 67.99


def test_every_order_comes_equally_often() -> None:
    """Chi-squared over the 24 orders of four things: 49.73 with 23 degrees of freedom."""
    orders = Counter(tuple(Chance(f"seed {n}", TAG).shuffled(range(4))) for n in range(24_000))
    assert orders.keys() == set(permutations(range(4)))
    assert sum((times - 1000) ** 2 / 1000 for times in orders.values()) < 49.73
