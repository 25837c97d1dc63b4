"""When announced tables were last heard of: promptly, a while ago, or too long ago. Pure."""

from collections import OrderedDict
from collections.abc import Callable
from itertools import takewhile


class TableAges:
    """Clock times of announcements, by card URL.

    `clock` returns seconds, never less than before. A table is doubtful `doubtful_after` seconds
    after its announcement, and silent after `silent_after`.
    """

    def __init__(
        self, clock: Callable[[], float], doubtful_after: float, silent_after: float
    ) -> None:
        self._clock = clock
        self._doubtful_after = doubtful_after
        self._silent_after = silent_after
        self._times: dict[str, float] = {}
        # Each in the order of the times; those of a later one were announced before.
        self._prompt: OrderedDict[str, None] = OrderedDict()
        self._doubtful: OrderedDict[str, None] = OrderedDict()
        self._silent: OrderedDict[str, None] = OrderedDict()

    def hear(self, url: str) -> None:
        """Note an announcement."""
        self.drop(url)
        self._times[url], self._prompt[url] = self._clock(), None

    def drop(self, url: str) -> None:
        """Forget a table; does nothing if it is unknown."""
        self._times.pop(url, None)
        for part in (self._prompt, self._doubtful, self._silent):
            part.pop(url, None)

    def is_silent(self, url: str) -> bool:
        """Return whether a known table is silent now."""
        return self._clock() - self._times[url] > self._silent_after

    def was_doubtful(self, url: str) -> bool:
        """Return whether a table was doubtful at the last call of `age`."""
        return url in self._doubtful

    def was_silent(self, url: str) -> bool:
        """Return whether a table was silent at the last call of `age`."""
        return url in self._silent

    def age(self) -> list[str]:
        """Return the tables that became doubtful or silent since the last call."""
        changed: list[str] = []
        since = self._clock() - self._doubtful_after
        while self._prompt and self._times[url := next(iter(self._prompt))] < since:
            changed.append(_move(url, self._prompt, self._doubtful))
        while self._doubtful and self.is_silent(url := next(iter(self._doubtful))):
            changed.append(_move(url, self._doubtful, self._silent))
        return changed

    def before(self, since: float) -> list[str]:
        """Return the tables announced before a clock time."""
        older: list[str] = []
        for part in (self._silent, self._doubtful, self._prompt):
            older += takewhile(lambda url: self._times[url] < since, part)
        return older


def _move(url: str, source: OrderedDict[str, None], target: OrderedDict[str, None]) -> str:
    del source[url]
    target[url] = None
    return url
