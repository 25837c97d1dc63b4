"""Deterministic bytes, random numbers and orders from a seed.

The full construction, so that a hand can be verified in another language:

* The byte stream of a seed and a tag is block 0, block 1, block 2, … with
  `block(i) = HMAC-SHA256(key = seed in UTF-8, message = tag + i as 8 bytes, big-endian)`.
* `below(n)` takes 4 bytes from the stream, big-endian, and takes again while they are
  `>= 2**32 - 2**32 % n` (which would favour small numbers); the rest of the division by `n`
  is the number.
* `shuffled` is forward Fisher-Yates: for `place` = 0, 1, 2, … the items at `place` and at
  `place + below(number of items - place)` are swapped.

A tag separates the streams of different uses of the same seed.
(The deck of Hold'em takes single bytes from its stream: `shuffle.py`.)
"""

from collections.abc import Iterable
from hmac import digest
from typing import Final, TypeVar

T = TypeVar("T")

_COUNTER_BYTES: Final = 8
_DRAW_BYTES: Final = 4
_DRAWS: Final = 2 ** (8 * _DRAW_BYTES)


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
        """Return the items in random order."""
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
