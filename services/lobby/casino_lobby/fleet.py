"""Tables that announce themselves: which of them live, and which one a new room gets."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection
from datetime import timedelta
from urllib.parse import urlsplit

from casino_agentkit.wire import CARD_PATH

_KEPT = 10_000


def base_url(card_url: str) -> str:
    """Return the address below which an agent lives, given that of its card or of itself.

    >>> base_url("http://host:4500/tables/1/.well-known/agent-card.json")
    'http://host:4500/tables/1'
    """
    return card_url.removesuffix(CARD_PATH).rstrip("/")


class Fleet:
    """Card URLs of announced tables, each until it has been silent for too long.

    `clock` gives seconds.
    """

    def __init__(self, clock: Callable[[], float], silence: timedelta) -> None:
        self._clock = clock
        self._silence = silence
        self._heard: OrderedDict[str, float] = OrderedDict()

    def announce(self, card_url: str) -> bool:
        """Note that a table lives; tells whether it is new here."""
        is_new = not self._lives(card_url)
        if is_new:
            self._heard.pop(card_url, None)  # one that was silent stands at the end of the queue
        self._heard[card_url] = self._clock()
        while len(self._heard) > _KEPT:
            self._heard.popitem(last=False)
        return is_new

    def choose(self, taken: Collection[str]) -> str | None:
        """Return a free table, of the process with the fewest taken ones; None if there is none.

        `taken` are the card URLs of tables that have a room. Among equals the one that has been
        here longest.
        """
        in_use = {base_url(url) for url in taken}
        load = Counter(urlsplit(url).netloc for url in taken)
        free = [url for url in self._heard if self._lives(url) and base_url(url) not in in_use]
        return min(free, key=lambda url: load[urlsplit(url).netloc], default=None)

    def knows(self, card_url: str) -> bool:
        """Tell whether a table has announced itself here."""
        return base_url(card_url) in map(base_url, self._heard)

    def announced(self) -> list[tuple[str, bool]]:
        """Return the card URLs of all tables that announced themselves, and whether each lives."""
        return [(url, self._lives(url)) for url in self._heard]

    def _lives(self, card_url: str) -> bool:
        heard = self._heard.get(card_url)
        return heard is not None and self._clock() - heard <= self._silence.total_seconds()
