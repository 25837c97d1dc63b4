"""Registry of announced tables: liveness, limits, leases and the choice of a table for a room."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from math import inf
from typing import Literal
from urllib.parse import urlsplit

from casino_agentkit import CommandRefused
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import Reason

_DROPPED_AFTER = 10
"""A table is dropped after this many times the silence after which it gets no room."""
_LEASE = 0.8
"""Share of the silence for which a table may ask players after an announcement."""
_CALL = 0.2
"""Share of the silence that a call to a room's table may take: a call and the lease that it grants
end within one silence of the moment it was sent."""
_INTERVAL = 1 / 3
"""Share of the silence between two announcements: one of two may be lost."""
_DOUBTFUL = 0.5
"""Share of the silence after which a table is chosen last: it should have announced itself."""


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
    is_busy: bool = False
    """Whether it said that it serves a table."""
    is_leaving: bool = False
    """Whether its process ends soon."""


class Fleet:
    """Card URLs of announced tables, each dropped after a long silence.

    `clock` returns seconds. A registered table is never evicted for a new one. `limits` None
    means unlimited. A table that serves a room is lost when it is silent for longer than
    `silence`; its announcements count from `expect`, and need no place among the limited ones.
    `order` makes lobbies that share their tables choose different ones.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        silence: timedelta,
        limits: FleetLimits | None = DEFAULT_LIMITS,
        order: Callable[[str], int] = lambda _card_url: 0,
    ) -> None:
        self._clock = clock
        self._order = order
        self._silence = silence
        self._limits = limits
        self._tables: dict[str, _Table] = {}
        self._heard: dict[str, float] = {}
        """Clock times at which tables that serve rooms were last heard of, by base URL; -inf for
        one that has left."""

    @property
    def lease(self) -> timedelta:
        """How long a table may ask players after it sent an announcement that was answered."""
        return self._silence * _LEASE

    @property
    def call_limit(self) -> timedelta:
        """How long a call may take that gives a room to a table, or leaves the room there."""
        return self._silence * _CALL

    @property
    def announce_within(self) -> timedelta:
        """The longest interval between two announcements of a table that is not to be lost."""
        return self._silence * _INTERVAL

    @property
    def silence(self) -> timedelta:
        """The silence after which a table is lost."""
        return self._silence

    def announce(self, card_url: str, *, is_busy: bool = False) -> bool:
        """Record that a table is alive; return whether it became available: new, or free again.

        `is_busy`: it says that it serves a table. Raises CommandRefused: TOO_MANY_TABLES for a new
        table beyond the limits.
        """
        is_new = not self._lives(card_url)
        if is_new:
            self._tables.pop(card_url, None)  # a returning table is queued last
            self._drop_silent()
            table = _Table(origin_of(card_url), self._clock())
            self._refuse_beyond_limits(table.origin)
            self._tables[card_url] = table
        table = self._tables[card_url]
        is_available = is_new or table.is_leaving or (table.is_busy and not is_busy)
        table.announced_at, table.is_busy, table.is_leaving = self._clock(), is_busy, False
        return is_available

    def leave(self, card_url: str, when: Literal["soon", "now"]) -> None:
        """Give a table no new room until it announces itself again; `now`: it is lost at once."""
        if when == "now":
            self._tables.pop(card_url, None)
            if base_url(card_url) in self._heard:
                self._heard[base_url(card_url)] = -inf
        elif card_url in self._tables:
            self._tables[card_url].is_leaving = True

    def expect(self, card_url: str) -> None:
        """Count the silence of a table that serves a room from now on."""
        base = base_url(card_url)
        if base not in self._heard:
            since = self._clock() - self._silence.total_seconds() * _DROPPED_AFTER
            self._heard = {url: heard for url, heard in self._heard.items() if heard >= since}
        self._heard[base] = self._clock()

    def is_lost(self, card_url: str) -> bool:
        """Return whether a table that serves a room is silent beyond the limit, or has left."""
        heard_at = self._heard.get(base_url(card_url), -inf)
        return self._clock() - heard_at > self._silence.total_seconds()

    def has_left(self, card_url: str) -> bool:
        """Return whether a table that served a room has said that it is gone."""
        return self._heard.get(base_url(card_url)) == -inf

    def time_left(self, card_url: str) -> timedelta:
        """Return the time until a table is lost if it stays silent; zero for a lost one."""
        lost_at = self._heard.get(base_url(card_url), -inf) + self._silence.total_seconds()
        return timedelta(seconds=max(0.0, lost_at - self._clock()))

    def is_available(self, card_url: str) -> bool:
        """Return whether a table is alive, and not about to leave."""
        return self._lives(card_url) and not self._tables[card_url].is_leaving

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

        `taken` are the card URLs of tables that have a room. Tables that should have announced
        themselves meanwhile come last, and before them those that say they serve a table. Ties go
        to the first one in this fleet's order, then to the table that was registered first.
        """
        in_use = {base_url(url) for url in taken}
        load = Counter(origin_of(url) for url in taken)
        doubtful_since = self._clock() - self._silence.total_seconds() * _DOUBTFUL

        def rank(url: str) -> tuple[bool, bool, int, int]:
            table = self._tables[url]
            is_doubtful = table.announced_at < doubtful_since
            return is_doubtful, table.is_busy, load[table.origin], self._order(url)

        free = [url for url in self._tables if base_url(url) not in in_use]
        return min(filter(self.is_available, free), key=rank, default=None)

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
