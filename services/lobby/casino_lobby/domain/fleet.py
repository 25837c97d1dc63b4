"""Tables that announce themselves: which of them live, and which one a new room gets."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from casino_agentkit import CommandRefused
from casino_agentkit.protocol import CARD_PATH

_FORGOTTEN_AFTER = 10
"""Times the silence after which a table gets no room."""


@dataclass(frozen=True)
class FleetLimits:
    """How many announced tables there may be, in all and below one origin (scheme, host, port)."""

    tables: int = 256
    per_origin: int = 16


DEFAULT_LIMITS = FleetLimits()


def base_url(card_url: str) -> str:
    """Return the address below which an agent lives, given that of its card or of itself.

    >>> base_url("http://host:4500/tables/1/.well-known/agent-card.json")
    'http://host:4500/tables/1'
    """
    return card_url.removesuffix(CARD_PATH).rstrip("/")


def origin_of(url: str) -> str:
    """Return where a process is reached: scheme, host and port, whatever else its URL says.

    A user before the host does not make it another one.

    >>> origin_of("http://u1@Host/tables/1")
    'http://host:80'
    """
    parts = urlsplit(url)
    try:
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:  # no number, or none of a port
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}://{(parts.hostname or '').rstrip('.')}:{port}"


@dataclass
class _Table:
    origin: str
    heard: float
    """When it announced itself last, in seconds."""


class Fleet:
    """Card URLs of announced tables, each until it has been silent for too long.

    `clock` gives seconds. A table that is known is never put out for another one; `limits` None
    sets none.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        silence: timedelta,
        limits: FleetLimits | None = DEFAULT_LIMITS,
    ) -> None:
        self._clock = clock
        self._silence = silence
        self._limits = limits
        self._tables: dict[str, _Table] = {}

    def announce(self, card_url: str) -> bool:
        """Note that a table lives; tells whether it is new here.

        Raises CommandRefused: TOO_MANY_TABLES for a new one beyond the limits.
        """
        is_new = not self._lives(card_url)
        if is_new:
            self._tables.pop(card_url, None)  # one that was silent stands at the end of the queue
            self._forget_silent()
            table = _Table(origin_of(card_url), self._clock())
            self._refuse_beyond_limits(table.origin)
            self._tables[card_url] = table
        self._tables[card_url].heard = self._clock()
        return is_new

    def _forget_silent(self) -> None:
        """Forget tables that have been silent for very long; where no place is left, for long."""
        is_full = self._limits is not None and len(self._tables) >= self._limits.tables
        longest = self._silence.total_seconds() * (1 if is_full else _FORGOTTEN_AFTER)
        since = self._clock() - longest
        self._tables = {url: one for url, one in self._tables.items() if one.heard >= since}

    def _refuse_beyond_limits(self, origin: str) -> None:
        limits = self._limits
        if limits is None:
            return
        if len(self._tables) >= limits.tables:
            raise CommandRefused(
                "TOO_MANY_TABLES",
                f"{limits.tables} tables have announced themselves, which is the most here"
                " (CASINO_LOBBY_ANNOUNCED_TABLES); try again when one of them is gone.",
            )
        if sum(one.origin == origin for one in self._tables.values()) >= limits.per_origin:
            raise CommandRefused(
                "TOO_MANY_TABLES",
                f"{limits.per_origin} tables of {origin[:200]} have announced themselves, which is"
                " the most for one origin (CASINO_LOBBY_ANNOUNCED_TABLES_PER_ORIGIN).",
            )

    def choose(self, taken: Collection[str]) -> str | None:
        """Return a free table, of the process with the fewest taken ones; None if there is none.

        `taken` are the card URLs of tables that have a room. Among equals the one that has been
        here longest.
        """
        in_use = {base_url(url) for url in taken}
        load = Counter(origin_of(url) for url in taken)
        free = [url for url in self._tables if self._lives(url) and base_url(url) not in in_use]
        return min(free, key=lambda url: load[self._tables[url].origin], default=None)

    def knows(self, card_url: str) -> bool:
        """Tell whether a table has announced itself here."""
        return base_url(card_url) in map(base_url, self._tables)

    def announced(self) -> list[tuple[str, bool]]:
        """Return the card URLs of all tables that announced themselves, and whether each lives."""
        return [(url, self._lives(url)) for url in self._tables]

    def _lives(self, card_url: str) -> bool:
        table = self._tables.get(card_url)
        return table is not None and self._clock() - table.heard <= self._silence.total_seconds()
