"""Who may call whom in the cluster: what the casino needs, and nothing else."""

import ipaddress
from typing import Any

import pytest
from support.deployment import NAMESPACE, Object, matches, of_kind, workloads

POLICIES = of_kind("NetworkPolicy")
LABELS = {name: workload.labels for name, workload in workloads().items()}
PORTS = {name: workload.ports["http"] for name, workload in workloads().items()}
HERE = {"kubernetes.io/metadata.name": NAMESPACE}
ELSEWHERE = {"kubernetes.io/metadata.name": "elsewhere"}
CLOSED = (
    *("10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.1"),
    *("::1", "fd00::1", "fe80::1"),
)
"""Addresses of pods, nodes, the cloud's metadata and the pod itself."""

Peer = tuple[dict[str, str], dict[str, str]] | str
"""Labels of a namespace and of a pod, or an address outside of the cluster."""


def peers_match(rule: Object, side: str, peer: Peer) -> bool:
    """Return whether one of the peers of a rule is this one; a rule without peers has them all."""
    if side not in rule:
        return True
    for described in rule[side]:
        if isinstance(peer, str):
            block = described.get("ipBlock")
            if block and covers(block, peer):
                return True
            continue
        if "ipBlock" in described:
            continue
        namespace, pod = peer
        of_namespace = described.get("namespaceSelector", {"matchLabels": HERE})
        if matches(of_namespace, namespace) and matches(described.get("podSelector", {}), pod):
            return True
    return False


def covers(block: Object, address: str) -> bool:
    """Return whether a block of addresses has this one, and does not except it."""
    ip = ipaddress.ip_address(address)
    excepted = any(ip in ipaddress.ip_network(part) for part in block.get("except", ()))
    return ip in ipaddress.ip_network(block["cidr"]) and not excepted


def is_allowed(direction: str, pod: dict[str, str], peer: Peer, port: int) -> bool:
    """Return whether the policies let a pod of the casino call, or be called by, a peer."""
    type_, side = {"egress": ("Egress", "to"), "ingress": ("Ingress", "from")}[direction]
    applied = [
        policy["spec"]
        for policy in POLICIES.values()
        if matches(policy["spec"]["podSelector"], pod) and type_ in policy["spec"]["policyTypes"]
    ]
    assert applied  # otherwise everything is allowed
    return any(
        peers_match(rule, side, peer)
        and ("ports" not in rule or port in [item["port"] for item in rule["ports"]])
        for policy in applied
        for rule in policy.get(direction, ())
    )


def may_call(caller: str, called: str, port: int) -> bool:
    """Return whether one pod of the casino may call another one: both sides must allow it."""
    return is_allowed("egress", LABELS[caller], (HERE, LABELS[called]), port) and is_allowed(
        "ingress", LABELS[called], (HERE, LABELS[caller]), port
    )


def test_nothing_is_allowed_by_default() -> None:
    """For any pod of the namespace, whatever its labels are."""
    denied = POLICIES["default-deny"]["spec"]
    assert denied == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    other: dict[str, str] = {"app": "other"}
    assert not is_allowed("egress", other, (HERE, LABELS["lobby"]), PORTS["lobby"])
    assert not is_allowed("ingress", other, (HERE, LABELS["lobby"]), 80)


def test_lobby_and_tables_call_each_other() -> None:
    """At their ports, and at no others."""
    for caller, called in (("lobby", "tables"), ("tables", "lobby")):
        assert may_call(caller, called, PORTS[called])
        assert not may_call(caller, called, PORTS[called] + 1)


def test_pods_of_one_kind_do_not_call_each_other() -> None:
    """Neither lobbies nor tables have a reason to."""
    for name in LABELS:
        assert not may_call(name, name, PORTS[name])


@pytest.mark.parametrize("name", sorted(LABELS))
def test_names_are_resolved(name: str) -> None:
    """By the cluster's name server only."""
    system = {"kubernetes.io/metadata.name": "kube-system"}
    assert is_allowed("egress", LABELS[name], (system, {"k8s-app": "kube-dns"}), 53)
    assert not is_allowed("egress", LABELS[name], (system, {"k8s-app": "other"}), 53)
    assert not is_allowed("egress", LABELS[name], (ELSEWHERE, {"k8s-app": "kube-dns"}), 53)


def test_only_the_lobby_reaches_the_database() -> None:
    """Wherever it is."""
    for peer in ("203.0.113.7", "10.20.30.40"):
        assert is_allowed("egress", LABELS["lobby"], peer, 5432)
    assert not is_allowed("egress", LABELS["tables"], "10.20.30.40", 5432)


@pytest.mark.parametrize("name", sorted(LABELS))
def test_players_are_called_in_the_internet_and_in_marked_namespaces(name: str) -> None:
    """At any port."""
    assert is_allowed("egress", LABELS[name], "203.0.113.7", 9000)
    assert is_allowed("egress", LABELS[name], "2001:db8::7", 9000)
    assert is_allowed("egress", LABELS[name], ({**ELSEWHERE, "casino-players": "true"}, {}), 9000)
    assert not is_allowed("egress", LABELS[name], (ELSEWHERE, {}), 9000)


@pytest.mark.parametrize("name", sorted(LABELS))
@pytest.mark.parametrize("address", CLOSED)
def test_a_card_url_reaches_nothing_of_the_cluster(name: str, address: str) -> None:
    """A player's URL is chosen by others: the cloud's metadata, nodes and services are closed."""
    assert not is_allowed("egress", LABELS[name], address, 80)


def test_marked_namespaces_reach_the_lobby() -> None:
    """Clients and monitoring the lobby, monitoring the tables; nobody else anything."""
    for label, reached in (
        ("casino-clients", {"lobby"}),
        ("casino-monitoring", {"lobby", "tables"}),
        ("casino-players", set[str]()),
    ):
        peer: Peer = ({**ELSEWHERE, label: "true"}, {})
        found = {
            name
            for name, labels in LABELS.items()
            if is_allowed("ingress", labels, peer, PORTS[name])
        }
        assert found == reached
    for name, labels in LABELS.items():
        assert not is_allowed("ingress", labels, (ELSEWHERE, {}), PORTS[name])
        assert not is_allowed("ingress", labels, "203.0.113.7", PORTS[name])


def test_every_selector_selects_pods_that_exist() -> None:
    """A misspelt label would select nothing, and say nothing."""
    in_casino: list[Any] = [policy["spec"]["podSelector"] for policy in POLICIES.values()]
    for policy in POLICIES.values():
        for direction, side in (("ingress", "from"), ("egress", "to")):
            for rule in policy["spec"].get(direction, ()):
                in_casino += [
                    peer["podSelector"]
                    for peer in rule.get(side, ())
                    if "podSelector" in peer and "namespaceSelector" not in peer
                ]
    for selector in in_casino:
        assert any(matches(selector, labels) for labels in LABELS.values()), selector
