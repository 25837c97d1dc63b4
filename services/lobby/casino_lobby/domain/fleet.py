"""Announced tables: liveness, limits, leases and the choice of a table for a room. Pure."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Literal
from urllib.parse import urlsplit

from casino_agentkit import CommandRefused
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import Reason

from casino_lobby.domain.announced_tables import FreeTables, HeardTables, Standing, TableAges


@dataclass(frozen=True)
class FleetLimits:
    """Maximum number of announced tables: in total, and per origin (scheme, host, port)."""

    tables: int = 256
    per_origin: int = 16

    def refuse_beyond(self, tables: int, origin: str, of_origin: int) -> None:
        """Raise TOO_MANY_TABLES if another table of an origin is one too many."""
        if tables >= self.tables:
            raise CommandRefused(
                Reason.TOO_MANY_TABLES,
                f"{self.tables} tables have announced themselves, which is the maximum"
                " (CASINO_LOBBY_ANNOUNCED_TABLES); try again when one of them is gone.",
            )
        if of_origin >= self.per_origin:
            raise CommandRefused(
                Reason.TOO_MANY_TABLES,
                f"{self.per_origin} tables of {origin[:200]} have announced themselves, which is"
                " the maximum per origin (CASINO_LOBBY_ANNOUNCED_TABLES_PER_ORIGIN).",
            )


DEFAULT_LIMITS = FleetLimits()


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
    position: int
    is_busy: bool = False
    """Whether it said that it serves a table."""
    is_leaving: bool = False


class Fleet:
    """Card URLs of announced tables, each dropped after a long silence.

    `clock` returns seconds, never less than before. A registered table is never evicted for a new
    one. `limits` None means unlimited. A table that serves a room is lost when it is silent for
    longer than `silence`; its announcements count from `expect`, and need no place among the
    limited ones. `order` makes lobbies that share their tables choose different ones. The cost of
    an announcement and of a choice does not grow with the number of tables, but for the bisection
    of ordered lists.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        silence: timedelta,
        limits: FleetLimits | None = DEFAULT_LIMITS,
        order: Callable[[str], int] = lambda _card_url: 0,
    ) -> None:
        self._clock = clock
        self._silence = silence
        self._limits = limits
        self._order = order
        seconds = silence.total_seconds()
        self._heard = HeardTables(clock, seconds, seconds * _DROPPED_AFTER)
        self._positions = count()
        self._tables: dict[str, _Table] = {}
        """In the order of their registration."""
        self._of_origin: Counter[str] = Counter()
        """Number of registered tables of each origin."""
        self._at: dict[str, dict[str, None]] = {}
        """Registered card URLs by base URL."""
        self._ages = TableAges(clock, seconds * _DOUBTFUL, seconds)
        self._taken: set[str] = set()
        """Card URLs of tables that have a room."""
        self._taken_at: Counter[str] = Counter()
        """Number of these by base URL."""
        self._free = FreeTables()

    @property
    def lease(self) -> timedelta:
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
        return self._silence

    def announce(self, card_url: str, *, is_busy: bool = False) -> bool:
        """Record that a table is alive; return whether it became available: new, or free again.

        `is_busy`: it says that it serves a table. Raises CommandRefused: TOO_MANY_TABLES for a new
        table beyond the limits.
        """
        is_new = not self._lives(card_url)
        if is_new:
            self._drop(card_url)  # a returning table is queued last
            self._drop_silent()
            origin = origin_of(card_url)
            if self._limits is not None:
                self._limits.refuse_beyond(len(self._tables), origin, self._of_origin[origin])
            self._register(card_url, origin)
        table = self._tables[card_url]
        is_available = is_new or table.is_leaving or (table.is_busy and not is_busy)
        table.is_busy, table.is_leaving = is_busy, False
        self._ages.hear(card_url)
        self._offer(card_url)
        return is_available

    def leave(self, card_url: str, when: Literal["soon", "now"]) -> None:
        """Give a table no new room until it announces itself again; `now`: it is lost at once."""
        if when == "now":
            self._drop(card_url)
            self._heard.leave(base_url(card_url))
        elif card_url in self._tables:
            self._tables[card_url].is_leaving = True
            self._offer(card_url)

    def expect(self, card_url: str) -> None:
        self._heard.expect(base_url(card_url))

    def is_lost(self, card_url: str) -> bool:
        return self._heard.is_lost(base_url(card_url))

    def lost(self) -> list[str]:
        return self._heard.lost()

    def has_left(self, card_url: str) -> bool:
        return self._heard.has_left(base_url(card_url))

    def time_left(self, card_url: str) -> timedelta:
        """Return the time until a table is lost if it stays silent; zero for a lost one."""
        lost_at = self._heard.heard_at(base_url(card_url)) + self._silence.total_seconds()
        return timedelta(seconds=max(0.0, lost_at - self._clock()))

    def is_available(self, card_url: str) -> bool:
        """Return whether a table is alive, and not about to leave."""
        return self._lives(card_url) and not self._tables[card_url].is_leaving

    # Which tables have a room.

    def take(self, card_url: str) -> None:
        """Note that a table has a room: it is not chosen until `free`, and loads its origin."""
        self._taken.add(card_url)
        self._free.add_load(origin_of(card_url), 1)
        self._taken_at[base_url(card_url)] += 1
        self._offer_at(base_url(card_url))

    def free(self, card_url: str) -> None:
        base = base_url(card_url)
        self._taken.remove(card_url)
        self._free.add_load(origin_of(card_url), -1)
        self._taken_at[base] -= 1
        if not self._taken_at[base]:
            del self._taken_at[base]
            self._offer_at(base)

    def watch(self, card_url: str) -> None:
        self._heard.watch(base_url(card_url))

    def unwatch(self, card_url: str) -> None:
        self._heard.unwatch(base_url(card_url))

    # Choice.

    def choose(self, taken: Collection[str]) -> str | None:
        """Return a free table on the origin with the fewest taken ones; None if there is none.

        `taken` are card URLs of tables that count as taken, besides those that have a room. Tables
        that should have announced themselves meanwhile come last, and before them those that say
        they serve a table. Ties go to the first one in this fleet's order, then to the table that
        was registered first.
        """
        for url in self._ages.age():
            self._offer(url)
        others = {url for url in taken if url not in self._taken}
        tried = {url for other in others for url in self._at.get(base_url(other), ())}
        return self._free.first(tried, Counter(map(origin_of, others)))

    def knows(self, card_url: str) -> bool:
        return base_url(card_url) in self._at

    def announced(self) -> list[tuple[str, bool]]:
        """Return the card URL of each announced table, and whether it is alive."""
        return [(url, self._lives(url)) for url in self._tables]

    def _lives(self, card_url: str) -> bool:
        return card_url in self._tables and not self._ages.is_silent(card_url)

    # Registration.

    def _register(self, card_url: str, origin: str) -> None:
        self._tables[card_url] = _Table(origin, next(self._positions))
        self._of_origin[origin] += 1
        self._at.setdefault(base_url(card_url), {})[card_url] = None

    def _drop(self, card_url: str) -> None:
        table = self._tables.pop(card_url, None)
        if table is None:
            return
        self._of_origin[table.origin] -= 1
        if not self._of_origin[table.origin]:
            del self._of_origin[table.origin]
        urls = self._at[base_url(card_url)]
        del urls[card_url]
        if not urls:
            del self._at[base_url(card_url)]
        self._ages.drop(card_url)
        self._free.remove(card_url)

    def _drop_silent(self) -> None:
        """Drop long-silent tables; once the limit is reached, every silent table."""
        is_full = self._limits is not None and len(self._tables) >= self._limits.tables
        longest = self._silence.total_seconds() * (1 if is_full else _DROPPED_AFTER)
        for url in self._ages.before(self._clock() - longest):
            self._drop(url)

    # Tables on offer.

    def _offer_at(self, base: str) -> None:
        for card_url in self._at.get(base, ()):
            self._offer(card_url)

    def _offer(self, card_url: str) -> None:
        table = self._tables[card_url]
        is_taken = base_url(card_url) in self._taken_at
        if table.is_leaving or is_taken or self._ages.was_silent(card_url):
            self._free.remove(card_url)
        else:
            standing = Standing(self._ages.was_doubtful(card_url), table.is_busy)
            position = self._order(card_url), table.position
            self._free.put(card_url, table.origin, standing, position)
