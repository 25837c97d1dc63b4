"""Python's and numpy's own random numbers, which functions of bots may use."""

import random
import sys
from typing import Final

from casino_games.shuffle import derive_seed

_BITS: Final = 0xFFFFFFFF


def dice_seed(seed: str, deck: int) -> int:
    """Return the seed of the random numbers of a deck, the same in each of its seatings.

    So equal bots play it alike from both sides, and tie at exactly 0.
    """
    return int(derive_seed(seed, "match dice", deck)[:16], 16)


def seed_generators(seed: int) -> None:
    """Seed the generators that are shared by the whole process."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed & _BITS)
