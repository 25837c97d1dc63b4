"""The lease of a table: until when it may ask players without hearing from its lobby. Pure.

A lobby that hears nothing of a table gives the room to another one. So that no player is asked by
two tables, the silent one stops first: its lease is shorter than the lobby's patience.
"""

from math import inf

from casino_table.errors import LeaseOver


class Lease:
    """The right to ask players until `ends_at`, in seconds; without a grant it has no limit."""

    def __init__(self, ends_at: float = inf) -> None:
        self._ends_at = ends_at
        self._granted_at = -inf
        self._is_surrendered = False

    @classmethod
    def of_configuration(cls, arrived_at: float, lease_ms: int | None) -> "Lease":
        """Return the lease of a configuration that arrived at a moment; None: without limit."""
        lease = cls()
        if lease_ms is not None:
            lease.grant(arrived_at, lease_ms)
        return lease

    @classmethod
    def of_journal(cls, lease_ms: int | None) -> "Lease":
        """Return the lease of a table that was recovered.

        With a lease it asks nobody before the lobby answers: meanwhile the room may have moved.
        """
        return cls() if lease_ms is None else cls(-inf)

    @property
    def is_limited(self) -> bool:
        """Whether the right ever ends."""
        return self._ends_at < inf

    def is_valid(self, now: float) -> bool:
        return now < self._ends_at

    def require(self, now: float) -> None:
        if not self.is_valid(now):
            raise LeaseOver("the lease of the table is over")

    def left_s(self, now: float) -> float:
        """Return the seconds until the end; at most 0 if it is over, infinite without a limit."""
        return self._ends_at - now

    def grant(self, sent_at: float, lease_ms: int) -> None:
        """End `lease_ms` after the answered announcement; older ones' answers change nothing."""
        if self._is_surrendered or sent_at < self._granted_at:
            return
        self._granted_at = sent_at
        self._ends_at = sent_at + lease_ms / 1000

    def lift(self) -> None:
        """Remove the limit: the lobby configured the table without a lease."""
        if not self._is_surrendered:
            self._ends_at, self._granted_at = inf, -inf

    def surrender(self) -> None:
        """End it for good: the room continues at another table."""
        self._is_surrendered = True
        self._ends_at = -inf
