"""Updates, drained nodes and lost pods leave a lobby that serves, and free tables."""

from typing import get_args

import pytest
from casino_table.settings import TableSettings
from casino_table.table_metrics import Status, TableGauges, TableMetrics
from prometheus_client import CollectorRegistry
from support.deployment import Object, matches, of_kind, workloads

WORKLOADS = workloads()
BUDGETS = of_kind("PodDisruptionBudget")


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


def test_an_update_keeps_the_lobby_that_serves_and_all_tables() -> None:
    """Of two lobbies one stands by and is never ready, so one may be missing, and one comes more.

    A table goes when a new one is available, which has announced itself by then.
    """
    lobby, tables = (WORKLOADS[name].manifest["spec"] for name in ("lobby", "tables"))
    assert lobby["replicas"] == 2
    assert lobby["strategy"]["rollingUpdate"] == {"maxUnavailable": 1, "maxSurge": 1}
    assert tables["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    announced_every = TableSettings.model_fields["announce_every"].default
    assert tables["minReadySeconds"] > announced_every.total_seconds()


def test_every_node_can_be_drained() -> None:
    """Of the lobbies one is ready, and `maxUnavailable: 1` of two would keep it for ever."""
    missing = {name: each["spec"]["maxUnavailable"] for name, each in BUDGETS.items()}
    assert missing == {"lobby": "100%", "tables": 1}


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
