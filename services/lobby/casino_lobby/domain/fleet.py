"""Registry of announced tables: liveness, limits and the choice of a table for a room."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from casino_agentkit import CommandRefused
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import Reason

_DROPPED_AFTER = 10
"""A table is dropped after this many times the silence after which it gets no room."""


@dataclass(frozen=True)
class FleetLimits:
    """Maximum number of announced tables: in total, and per origin (scheme, host, port)."""

    tables: int = 256
    per_origin: int = 16


DEFAULT_LIMITS = FleetLimits()


def base_url(card_url: str) -> str:
    """Return an agent's base URL, from its card URL or from the base URL itself.

    >>> base_url("http://host:4500/tables/1/.well-known/agent-card.json")
    'http://host:4500/tables/1'
    """
    return card_url.removesuffix(CARD_PATH).rstrip("/")


def origin_of(url: str) -> str:
    """Return the origin of a URL: scheme, host and port.

    User information before the host is ignored.

    >>> origin_of("http://u1@Host/tables/1")
    'http://host:80'
    """
    parts = urlsplit(url)
    try:
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:  # not a number, or out of range
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}://{(parts.hostname or '').rstrip('.')}:{port}"


@dataclass
class _Table:
    origin: str
    announced_at: float
    """Clock time of the last announcement, in seconds."""


class Fleet:
    """Card URLs of announced tables, each dropped after a long silence.

    `clock` returns seconds. A registered table is never evicted for a new one. `limits` None
    means unlimited.
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
        """Record that a table is alive; return whether it is new.

        Raises CommandRefused: TOO_MANY_TABLES for a new table beyond the limits.
        """
        is_new = not self._lives(card_url)
        if is_new:
            self._tables.pop(card_url, None)  # a returning table is queued last
            self._drop_silent()
            table = _Table(origin_of(card_url), self._clock())
            self._refuse_beyond_limits(table.origin)
            self._tables[card_url] = table
        self._tables[card_url].announced_at = self._clock()
        return is_new

    def _drop_silent(self) -> None:
        """Drop long-silent tables; once the limit is reached, every silent table."""
        is_full = self._limits is not None and len(self._tables) >= self._limits.tables
        longest = self._silence.total_seconds() * (1 if is_full else _DROPPED_AFTER)
        since = self._clock() - longest
        self._tables = {
            url: table for url, table in self._tables.items() if table.announced_at >= since
        }

    def _refuse_beyond_limits(self, origin: str) -> None:
        limits = self._limits
        if limits is None:
            return
        if len(self._tables) >= limits.tables:
            raise CommandRefused(
                Reason.TOO_MANY_TABLES,
                f"{limits.tables} tables have announced themselves, which is the maximum"
                " (CASINO_LOBBY_ANNOUNCED_TABLES); try again when one of them is gone.",
            )
        if sum(table.origin == origin for table in self._tables.values()) >= limits.per_origin:
            raise CommandRefused(
                Reason.TOO_MANY_TABLES,
                f"{limits.per_origin} tables of {origin[:200]} have announced themselves, which is"
                " the maximum per origin (CASINO_LOBBY_ANNOUNCED_TABLES_PER_ORIGIN).",
            )

    def choose(self, taken: Collection[str]) -> str | None:
        """Return a free table on the origin with the fewest taken ones; None if there is none.

        `taken` are the card URLs of tables that have a room. Ties go to the table that was
        registered first.
        """
        in_use = {base_url(url) for url in taken}
        load = Counter(origin_of(url) for url in taken)
        free = [url for url in self._tables if self._lives(url) and base_url(url) not in in_use]
        return min(free, key=lambda url: load[self._tables[url].origin], default=None)

    def knows(self, card_url: str) -> bool:
        """Return whether a table has announced itself."""
        return base_url(card_url) in map(base_url, self._tables)

    def announced(self) -> list[tuple[str, bool]]:
        """Return the card URL of each announced table, and whether it is alive."""
        return [(url, self._lives(url)) for url in self._tables]

    def _lives(self, card_url: str) -> bool:
        table = self._tables.get(card_url)
        return (
            table is not None
            and self._clock() - table.announced_at <= self._silence.total_seconds()
        )
