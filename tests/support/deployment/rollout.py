"""How Kubernetes replaces and evicts pods, by the arithmetic of its controllers.

Sources: pkg/controller/deployment/rolling.go and util/deployment_util.go (roll-outs),
pkg/controller/disruption/disruption.go and pkg/registry/core/pod/storage/eviction.go (budgets).
"""

from dataclasses import dataclass


def count_of(value: int | str, replicas: int) -> int:
    """Return an `IntOrString` of a manifest as a number of pods; percentages are exact here."""
    if isinstance(value, int):
        return value
    share = int(value.removesuffix("%")) * replicas
    assert share % 100 == 0
    return share // 100


@dataclass
class Rollout:
    """The numbers of pods of an old and a new release; `*_available` are ready for long enough."""

    replicas: int
    max_unavailable: int
    max_surge: int
    old: int
    old_available: int
    new: int = 0
    new_available: int = 0

    def settle(self) -> None:
        """Do all that the controller does before a pod changes by itself."""
        while self._add_new() or self._remove_old():
            pass

    def _add_new(self) -> bool:
        room = self.replicas + self.max_surge - self.old - self.new
        added = min(room, self.replicas - self.new)
        if added <= 0:
            return False
        self.new += added
        return True

    def _remove_old(self) -> bool:
        least = self.replicas - self.max_unavailable
        new_unavailable = self.new - self.new_available
        removable = self.old + self.new - least - new_unavailable
        if removable <= 0 or self.old == 0:
            return False
        unready = min(removable, self.old - self.old_available)
        self.old -= unready
        spare = self.old_available + self.new_available - least
        ready = max(0, min(self.old, spare))
        self.old -= ready
        self.old_available = min(self.old_available, self.old)
        return unready + ready > 0


@dataclass(frozen=True)
class Budget:
    """A disruption budget with `maxUnavailable`, for so many expected pods."""

    expected: int
    max_unavailable: int

    def may_evict(self, healthy: int, *, is_ready: bool) -> bool:
        """Return whether a pod is evicted while so many pods are healthy."""
        desired = max(0, self.expected - self.max_unavailable)
        if not is_ready and healthy >= desired > 0:
            return True
        return healthy - desired > 0
