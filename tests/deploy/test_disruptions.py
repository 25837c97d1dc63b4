"""Updates, drained nodes and lost pods leave a lobby that serves, and free tables.

By the arithmetic of the controllers of Kubernetes. Sources: pkg/controller/deployment/rolling.go
and util/deployment_util.go (roll-outs), pkg/controller/disruption/disruption.go and
pkg/registry/core/pod/storage/eviction.go (budgets).
"""

from dataclasses import dataclass
from typing import get_args

import pytest
from casino_table.table_metrics import Status, TableGauges, TableMetrics
from prometheus_client import CollectorRegistry
from support.deployment import Object, Workload, matches, of_kind, workloads

WORKLOADS = workloads()
BUDGETS = of_kind("PodDisruptionBudget")


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


def rollout(workload: Workload, *, available: int) -> Rollout:
    """Return the start of an update, with so many available pods of the old release."""
    spec = workload.manifest["spec"]
    limits = spec["strategy"]["rollingUpdate"]
    replicas = spec["replicas"]
    return Rollout(
        replicas,
        count_of(limits["maxUnavailable"], replicas),
        count_of(limits["maxSurge"], replicas),
        old=replicas,
        old_available=available,
    )


def budget(name: str) -> Budget:
    replicas = WORKLOADS[name].manifest["spec"]["replicas"]
    return Budget(replicas, count_of(BUDGETS[name]["spec"]["maxUnavailable"], replicas))


@pytest.mark.parametrize("name", sorted(WORKLOADS))
def test_selectors_agree_with_the_labels_of_the_pods(name: str) -> None:
    """Of the Deployment, its budget and its spread."""
    workload = WORKLOADS[name]
    selectors: list[Object] = [
        workload.manifest["spec"]["selector"],
        BUDGETS[name]["spec"]["selector"],
        *(spread["labelSelector"] for spread in workload.pod["topologySpreadConstraints"]),
    ]
    for selector in selectors:
        assert matches(selector, workload.labels)
        others = [other.labels for other in WORKLOADS.values() if other is not workload]
        assert not any(matches(selector, labels) for labels in others)


@pytest.mark.parametrize("name", sorted(WORKLOADS))
def test_pods_are_spread_over_nodes_and_zones(name: str) -> None:
    """Also in a cluster of one node."""
    spread = WORKLOADS[name].pod["topologySpreadConstraints"]
    assert [constraint["topologyKey"] for constraint in spread] == [
        "kubernetes.io/hostname",
        "topology.kubernetes.io/zone",
    ]
    assert {constraint["whenUnsatisfiable"] for constraint in spread} == {"ScheduleAnyway"}


def test_an_update_of_the_lobby_keeps_the_one_that_serves() -> None:
    """Both new lobbies wait for the database, however long; the old one has it."""
    update = rollout(WORKLOADS["lobby"], available=1)
    update.settle()
    assert (update.old, update.old_available, update.new) == (1, 1, 2)


def test_the_update_of_the_lobby_ends_when_the_old_pod_is_deleted() -> None:
    """A new lobby takes over; the pod that replaces the deleted one is not needed."""
    update = rollout(WORKLOADS["lobby"], available=1)
    update.settle()
    update.old_available = 0  # deleted, and replaced by a pod that is not ready
    update.new_available = 1  # the database is free
    update.settle()
    assert (update.old, update.new) == (0, 2)


def test_the_lobby_that_serves_can_be_evicted() -> None:
    """Its node can be drained; no second pod is evicted until a lobby serves again."""
    lobby = budget("lobby")
    assert lobby.may_evict(healthy=1, is_ready=True)
    assert lobby.may_evict(healthy=1, is_ready=False)
    assert not lobby.may_evict(healthy=0, is_ready=False)
    assert not Budget(2, 1).may_evict(healthy=1, is_ready=True)  # what `maxUnavailable: 1` means


def test_an_update_of_the_tables_never_has_fewer() -> None:
    """One new pod at a time; the old one goes when the new one is available."""
    spec = WORKLOADS["tables"].manifest["spec"]
    update = rollout(WORKLOADS["tables"], available=spec["replicas"])
    for _step in range(spec["replicas"]):
        update.settle()
        assert update.old_available + update.new_available == spec["replicas"]
        assert update.old + update.new == spec["replicas"] + 1
        update.new_available += 1
    update.settle()
    assert (update.old, update.new) == (0, spec["replicas"])
    assert spec["minReadySeconds"] > 5  # the default of CASINO_TABLE_ANNOUNCE_EVERY


def test_one_pod_of_tables_is_evicted_at_a_time() -> None:
    """The next one when it is replaced."""
    replicas = WORKLOADS["tables"].manifest["spec"]["replicas"]
    assert budget("tables").may_evict(healthy=replicas, is_ready=True)
    assert not budget("tables").may_evict(healthy=replicas - 1, is_ready=True)


def autoscaler() -> Object:
    (item,) = of_kind("HorizontalPodAutoscaler").values()
    spec = item["spec"]
    assert isinstance(spec, dict)
    return spec


def tables_per_pod() -> int:
    """Return CASINO_TABLE_COUNT."""
    return int(WORKLOADS["tables"].environment()["CASINO_TABLE_COUNT"])


def test_the_autoscaler_counts_the_tables_that_are_in_use() -> None:
    """Of the metric that a table process serves: all but the free ones."""
    registry = CollectorRegistry()
    gauges = [TableGauges(status) for status in get_args(Status)]
    TableMetrics(registry).watch([lambda gauge=gauge: gauge for gauge in gauges])  # type: ignore[misc]
    (metric,) = autoscaler()["metrics"]
    described = metric["pods"]["metric"]
    samples = [
        sample
        for family in registry.collect()
        for sample in family.samples
        if sample.name == described["name"]
    ]
    assert len(samples) == len(gauges)
    counted = {
        sample.labels["status"]
        for sample in samples
        if matches(described["selector"], sample.labels)
    }
    assert counted == set(get_args(Status)) - {"free"}


def test_the_tables_of_a_lost_pod_fit_into_the_others() -> None:
    """At the target of the autoscaler, even with the fewest pods."""
    spec = autoscaler()
    (metric,) = spec["metrics"]
    used = int(metric["pods"]["target"]["averageValue"])
    free_elsewhere = (spec["minReplicas"] - 1) * (tables_per_pod() - used)
    assert 0 < used <= free_elsewhere
