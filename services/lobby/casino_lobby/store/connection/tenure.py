"""Whether the database is this lobby's at this moment. Pure; the clock is passed in."""

import time
from collections.abc import Callable
from typing import Final

import structlog

from casino_lobby.errors import StoreFailed

HELD_S: Final = 8.0
"""How long an answer of the database counts: less than it takes to lose the lock in silence."""

_SUPERSEDED = "another lobby holds the database, or has held it in the meantime"

logger = structlog.get_logger(__name__)


def _nothing() -> None:
    pass


class Tenure:
    """The term of a lobby, from its beginning until another lobby begins the next one.

    `can_end` is whether the lock may be lost while the process runs. `on_superseded` is called once
    another lobby has taken over. `clock` returns seconds.
    """

    def __init__(
        self,
        can_end: Callable[[], bool],
        on_superseded: Callable[[], None] = _nothing,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._can_end = can_end
        self._on_superseded = on_superseded
        self._clock = clock
        self._confirmed_at: float | None = None
        self._is_superseded = False
        self.term = 0
        """The number of the term; 0 before it begins."""

    @property
    def is_held(self) -> bool:
        """Whether no other lobby can have the database at this moment."""
        if not self._can_end():
            return True
        if self._is_superseded or self._confirmed_at is None:
            return False
        return self._clock() - self._confirmed_at < HELD_S

    def now(self) -> float:
        """Return the time at which a statement is sent, for `confirm`."""
        return self._clock()

    def begin(self, term: int, sent_at: float) -> None:
        """Begin the term with a statement that was sent at a time."""
        self.term = term
        self.confirm(sent_at)

    def confirm(self, sent_at: float) -> None:
        """Note that a statement was executed on the connection that holds the lock."""
        self._confirmed_at = sent_at

    def lose(self) -> None:
        """Note that the connection, and so the lock, is lost."""
        self._confirmed_at = None

    def check(self) -> None:
        """Raise StoreFailed if another lobby has taken over: this one must not write any more."""
        if self._is_superseded:
            raise StoreFailed(_SUPERSEDED)

    def compare(self, newest_term: int) -> None:
        """Compare the newest term that is stored with this one.

        Raises StoreFailed, now and from then on, if another lobby has begun a term.
        """
        if newest_term != self.term:
            self._is_superseded = True
            logger.error("lobby_superseded", term=self.term, newest_term=newest_term)
            self._on_superseded()
        self.check()
