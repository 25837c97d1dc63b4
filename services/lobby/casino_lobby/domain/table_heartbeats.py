"""When tables were last heard of: those that serve rooms, and those that are announced. Pure."""

from collections import OrderedDict
from collections.abc import Callable
from itertools import takewhile
from math import inf


class HeardTables:
    """Clock times of the last announcement of tables that serve rooms, by base URL.

    `clock` returns seconds, never less than before. A table is lost when it is silent for longer
    than `silence` seconds, and forgotten some time after `forgotten_after` seconds. Among the
    watched tables those that are lost are found without a look at the others.
    """

    def __init__(self, clock: Callable[[], float], silence: float, forgotten_after: float) -> None:
        self._clock = clock
        self._silence = silence
        self._forgotten_after = forgotten_after
        self._heard: OrderedDict[str, float] = OrderedDict()
        """In the order of the times, but for those that have left: -inf."""
        self._left: set[str] = set()
        self._watched: set[str] = set()
        self._lively: OrderedDict[str, None] = OrderedDict()
        """Watched tables that were not lost when last looked at, in the order of their times."""
        self._suspect: dict[str, None] = {}
        """The other watched tables: lost, or not heard of since they are watched."""

    def expect(self, base: str) -> None:
        """Count the silence of a table from now on."""
        if base not in self._heard:
            self._forget_old()
        self._heard.pop(base, None)  # so that it is the last
        self._heard[base] = self._clock()
        self._left.discard(base)
        if base in self._watched:
            self._suspect.pop(base, None)
            self._lively.pop(base, None)
            self._lively[base] = None

    def leave(self, base: str) -> None:
        """Take a table for lost at once."""
        if base not in self._heard:
            return
        self._heard[base] = -inf
        self._left.add(base)
        if base in self._lively:
            del self._lively[base]
            self._suspect[base] = None

    def heard_at(self, base: str) -> float:
        """Return when a table was last heard of; -inf if it has left or is unknown."""
        return self._heard.get(base, -inf)

    def has_left(self, base: str) -> bool:
        """Return whether a table has left, and was not forgotten since."""
        return base in self._left

    def is_lost(self, base: str) -> bool:
        """Return whether a table is silent beyond the limit, has left or is unknown."""
        return self._clock() - self.heard_at(base) > self._silence

    def watch(self, base: str) -> None:
        """Return a table among the lost ones from now on, if it is lost."""
        self._watched.add(base)
        self._suspect[base] = None

    def unwatch(self, base: str) -> None:
        """Stop watching a table."""
        self._watched.discard(base)
        self._suspect.pop(base, None)
        self._lively.pop(base, None)

    def lost(self) -> list[str]:
        """Return the watched tables that are lost."""
        while self._lively and self.is_lost(base := next(iter(self._lively))):
            del self._lively[base]
            self._suspect[base] = None
        return [base for base in self._suspect if self.is_lost(base)]

    def _forget_old(self) -> None:
        for base in self._left:
            del self._heard[base]
        self._left.clear()
        since = self._clock() - self._forgotten_after
        while self._heard and self._heard[base := next(iter(self._heard))] < since:
            del self._heard[base]


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
