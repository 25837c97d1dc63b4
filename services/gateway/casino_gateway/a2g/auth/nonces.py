"""Challenges that wait for a wallet's signature: each is used once, within five minutes. Pure."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

VALID_S = 300.0
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Challenge:
    """A text that a wallet is asked to sign."""

    address: str
    message: str = field(repr=False)
    ends_at: float
    """Monotonic seconds."""


class Nonces:
    """Open challenges by nonce; beyond 10,000 the oldest is forgotten."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: OrderedDict[str, Challenge] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, nonce: str, address: str, message: str) -> None:
        """Keep a challenge."""
        self._open[nonce] = Challenge(address, message, self._clock() + VALID_S)
        while len(self._open) > _MOST:
            self._open.popitem(last=False)

    def take(self, nonce: str) -> Challenge | None:
        """Return the challenge of a nonce and forget it; None if it is unknown, used or too old."""
        challenge = self._open.pop(nonce, None)
        if challenge is None or self._clock() >= challenge.ends_at:
            return None
        return challenge
