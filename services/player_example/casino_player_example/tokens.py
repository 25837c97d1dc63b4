"""A cap on the tokens that a process may spend: reserved before a call, settled after it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_LETTERS_PER_TOKEN = 3
"""Fewer than there are in most languages: an estimate that is rather too high."""


class OutOfTokens(Exception):
    """The cap does not allow another call."""


def tokens_in(text: str) -> int:
    """Return how many tokens a text may have, where nobody counted them."""
    return len(text) // _LETTERS_PER_TOKEN + 1


@dataclass
class Spending:
    """What one call spends; until it is known, all that was reserved."""

    tokens: int


class TokenBudget:
    """Tokens left, over all calls of all players of a process."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.spent = 0

    @contextmanager
    def reserve(self, tokens: int) -> Iterator[Spending]:
        """Set tokens aside for a call, then book what it really took; or raise OutOfTokens."""
        if self.spent + tokens > self.cap:
            raise OutOfTokens(f"{self.spent} of {self.cap} tokens are spent")
        spending = Spending(tokens)
        self.spent += tokens
        try:
            yield spending
        finally:
            self.spent += spending.tokens - tokens
