"""What a model costs: the budget of a process, and the expense of each decision."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from casino_contracts import Usage

from casino_player_example.errors import BudgetSpent

_LETTERS_PER_TOKEN = 3
"""Low for most languages, so that estimates are rather too high."""


def tokens_in(text: str) -> int:
    return len(text) // _LETTERS_PER_TOKEN + 1


@dataclass
class Spending:
    """What one call takes of the budget; the reserved numbers until the real ones are set."""

    tokens: int
    usd: float = 0.0


class ModelBudget:
    """Budget shared by all calls of a process, in tokens, and in US dollars where `usd` is set."""

    def __init__(self, tokens: int, usd: float | None = None) -> None:
        self.tokens, self.usd = tokens, usd
        self.spent = Spending(0)

    @contextmanager
    def reserve(self, tokens: int, usd: float = 0.0) -> Iterator[Spending]:
        """Reserve for a call and settle the real numbers after it; raises BudgetSpent."""
        spent = self.spent
        if spent.tokens + tokens > self.tokens:
            raise BudgetSpent(f"{spent.tokens} of {self.tokens} tokens are spent")
        if self.usd is not None and spent.usd + usd > self.usd:
            raise BudgetSpent(f"{spent.usd:.4f} of {self.usd:g} US dollars are spent")
        spending = Spending(tokens, usd)
        spent.tokens += tokens
        spent.usd += usd
        try:
            yield spending
        finally:
            spent.tokens += spending.tokens - tokens
            spent.usd += spending.usd - usd


@dataclass
class Expense:
    """What the attempts of one question cost so far; None is not known."""

    attempts: int = 0
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float | None = 0.0

    def pay(self, usd: float | None) -> None:
        """Add the price of a call, None if it is not known."""
        self.usd = None if usd is None or self.usd is None else self.usd + usd

    def usage(self, model: str) -> Usage | None:
        """Return it as it is sent; None if the model was not asked."""
        if not self.attempts:
            return None
        return Usage(
            model=model,
            latency_ms=round(self.seconds * 1000),
            attempts=self.attempts,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_tokens=self.cached_tokens or None,
            reasoning_tokens=self.reasoning_tokens or None,
            cost_usd=None if self.usd is None else round(self.usd, 9),
        )
