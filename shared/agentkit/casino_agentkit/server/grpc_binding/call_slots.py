"""Maximum number of calls that run at the same time, in total and of one network."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class CallSlots:
    """Counts running calls, in total and by network, and refuses those above a maximum."""

    def __init__(self, at_most: int, of_one: int) -> None:
        self._at_most = at_most
        self._of_one = of_one
        self._running: Counter[str] = Counter()

    @contextmanager
    def taken(self, network: str) -> Iterator[bool]:
        """Take a slot within the block; False if none is free."""
        if self._running[network] >= self._of_one or self._running.total() >= self._at_most:
            yield False
            return
        self._running[network] += 1
        try:
            yield True
        finally:
            self._running -= Counter((network,))
