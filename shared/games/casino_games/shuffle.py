"""Deterministic bytes, numbers, orders and decks from a seed, so that each hand can be dealt again.

The full construction, so that a deal can be verified in another language:

* The byte stream of a seed and a tag is block 0, block 1, block 2, … with
  `block(i) = HMAC-SHA256(key = seed in UTF-8, message = tag + i as 8 bytes, big-endian)`.
  A tag separates the streams of different uses of the same seed.
* `below(n)` takes 4 bytes from the stream, big-endian, and takes again while they are
  `>= 2**32 - 2**32 % n` (which would favour small numbers); the rest of the division by `n`
  is the number.
* `shuffled` is forward Fisher-Yates: for `place` = 0, 1, 2, … the items at `place` and at
  `place + below(number of items - place)` are swapped.

The deck of Hold'em starts as the cards 0..51 in order (`cards.py`) and takes single bytes from the
stream of DECK_TAG. For `place` = 0, 1, 2, … the `n = 52 - place` cards from `place` on are
candidates. Bytes are skipped while they are `>= 256 - 256 % n`; the first other byte `b` swaps the
cards at `place` and `place + b % n`. The last card needs no byte. A place does not change after its
turn, so dealing nine cards gives the first nine of the full order.
"""

from collections.abc import Iterable
from hmac import digest
from typing import Final, TypeVar

from casino_games.cards import DECK, Card

T = TypeVar("T")

_COUNTER_BYTES: Final = 8
_DRAW_BYTES: Final = 4
_DRAWS: Final = 2 ** (8 * _DRAW_BYTES)

DECK_TAG: Final = b"a2a-casino/deck/v1"
"""Separates the stream of decks from other uses of the same seed."""
SEED_TAG: Final = b"a2a-casino/seed/v1"
"""The same for seeds that are derived from a seed."""
_CARDS: Final = len(DECK)
_LENGTH_BYTES: Final = 4
_BYTE_VALUES: Final = 256
_IN_ORDER: Final = [-1, *DECK]
"""Index 0 is unused."""


def block_of(key: bytes, tag: bytes, number: int) -> bytes:
    """Return a block of the byte stream of a tag and a seed, whose UTF-8 is the key: 32 bytes."""
    return digest(key, tag + number.to_bytes(_COUNTER_BYTES, "big"), "sha256")


class Chance:
    """Random generator of a seed and a tag."""

    def __init__(self, seed: str, tag: bytes) -> None:
        self._key = seed.encode()
        self._tag = tag
        self._block = b""
        self._place = 0
        self._blocks = 0

    def below(self, limit: int) -> int:
        """Return a uniform number of `range(limit)`; raises `ValueError` for an invalid limit."""
        if not 0 < limit <= _DRAWS:
            raise ValueError("a limit is from 1 to 2**32")
        balanced = _DRAWS - _DRAWS % limit
        while (drawn := self._draw()) >= balanced:
            pass
        return drawn % limit

    def shuffled(self, things: Iterable[T]) -> list[T]:
        order = list(things)
        for place in range(len(order) - 1):
            other = place + self.below(len(order) - place)
            order[place], order[other] = order[other], order[place]
        return order

    def _draw(self) -> int:
        if self._place == len(self._block):
            self._block = block_of(self._key, self._tag, self._blocks)
            self._blocks += 1
            self._place = 0
        start = self._place
        self._place += _DRAW_BYTES
        return int.from_bytes(self._block[start : self._place], "big")


def _choices(place: int) -> bytes:
    """Return for each byte the number, from 1, of the card that it swaps; 0 if it is skipped."""
    candidates = _CARDS - place
    fair = _BYTE_VALUES - _BYTE_VALUES % candidates
    return bytes(
        place + byte % candidates + 1 if byte < fair else 0 for byte in range(_BYTE_VALUES)
    )


_CHOICES: Final[tuple[bytes, ...]] = tuple(_choices(place) for place in range(_CARDS - 1))


def deck_order(seed: str, count: int = _CARDS) -> list[Card]:
    """Return the first `count` cards of the deck of `seed`; raises `ValueError`."""
    if not 0 <= count <= _CARDS:
        raise ValueError("a deck has 52 cards")
    key = seed.encode()
    deck = _IN_ORDER.copy()
    stream = iter(block_of(key, DECK_TAG, 0))
    blocks = 1
    for place, choices in enumerate(_CHOICES[:count], 1):
        for byte in stream:
            chosen = choices[byte]
            if chosen:
                break
        else:
            chosen = 0
            while not chosen:
                stream = iter(block_of(key, DECK_TAG, blocks))
                blocks += 1
                chosen = next(filter(None, map(choices.__getitem__, stream)), 0)
        deck[place], deck[chosen] = deck[chosen], deck[place]
    return deck[1 : count + 1]


def derive_seed(seed: str, *labels: str | int) -> str:
    """Derive a seed from `seed` and `labels`, as 64 hexadecimal digits.

    A session has one seed and every hand its own: `derive_seed(session_seed, "hand", 17)`.
    Neither the origin nor other derived seeds can be computed from a derived seed.

    It is `HMAC-SHA256(key = seed in UTF-8, message)` where the message is SEED_TAG, followed by
    each label as text in UTF-8 with its length in bytes before it (4 bytes, big-endian).
    """
    message = bytearray(SEED_TAG)
    for label in labels:
        text = str(label).encode()
        message += len(text).to_bytes(_LENGTH_BYTES, "big") + text
    return digest(seed.encode(), bytes(message), "sha256").hex()
