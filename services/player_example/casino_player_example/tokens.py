"""Token budget of a process: reserved before each call, settled after it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from casino_player_example.errors import OutOfTokens

_LETTERS_PER_TOKEN = 3
"""Low for most languages, so that estimates are rather too high."""


def tokens_in(text: str) -> int:
    """Return an estimate of a text's number of tokens."""
    return len(text) // _LETTERS_PER_TOKEN + 1


@dataclass
class Spending:
    """Tokens of one call; the reserved number until the real one is set."""

    tokens: int


class TokenBudget:
    """Budget shared by all calls of a process; `cap` and `spent` are numbers of tokens."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.spent = 0

    @contextmanager
    def reserve(self, tokens: int) -> Iterator[Spending]:
        """Reserve tokens for a call and settle the real number after it; raises OutOfTokens."""
        if self.spent + tokens > self.cap:
            raise OutOfTokens(f"{self.spent} of {self.cap} tokens are spent")
        spending = Spending(tokens)
        self.spent += tokens
        try:
            yield spending
        finally:
            self.spent += spending.tokens - tokens
