"""Each container reads its own keys and no other: in Compose, on Swarm, in Kubernetes.

A further key is noticed, mounted anywhere and in any form.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from casino_lobby.domain.room_limits import SERVICES
from support.deployment import (
    COMPOSE_KEYS,
    compose_services,
    environment,
    of_kind,
    secret_references,
    services,
    workloads,
)

Definition = dict[str, Any]

PLAYERS = ("tight", "equity", "loose", "aggressive", "tricky")
SWARM: dict[str, set[str]] = {
    "front": set(),
    "lobby": {"operator", "fleet", "players", "card_key", "pgpass"},
    "table": {"fleet"},
    "postgres": {"postgres_password"},
    "dealer": {"dealer", "players"},
    **{player: {"players"} for player in PLAYERS},
}
KUBERNETES: dict[str, set[str]] = {
    "lobby": {"OPERATOR_TOKEN", "FLEET_KEY", "DATABASE_URL", "all of casino-card-key"},
    "tables": {"FLEET_KEY"},
}


def in_compose(definition: Definition) -> set[str]:
    """Return the keys that a service of Compose mounts, at any place."""
    volumes = definition.get("volumes", ())
    names = [one.partition(":")[0] if isinstance(one, str) else one["source"] for one in volumes]
    shared = [name for name in names if name.startswith((".", "/")) and name != "./mybot.py"]
    assert not shared, "directories of the machine have the volumes of every service"
    assert "volumes_from" not in definition
    return {name.removeprefix("key-") for name in names if name.startswith("key-")}


def on_swarm(definition: Definition) -> set[str]:
    """Return the secrets of a service of Swarm, at any place."""
    secrets = definition.get("secrets", ())
    names = [secret if isinstance(secret, str) else secret["source"] for secret in secrets]
    return {name.removeprefix("casino_") for name in names}


def in_kubernetes(manifest: Definition) -> set[str]:
    """Return the keys of a pod: in volumes, variables, or anything else that names a secret."""
    named = secret_references(manifest["spec"]["template"]["spec"])
    return {key or f"all of {secret}" for secret, key in named}


def compose() -> dict[str, Definition]:
    """Return the services of Compose but the one that makes the keys."""
    return {name: one for name, one in compose_services().items() if name != "keys"}


def of_compose(key: str) -> list[tuple[str, Any]]:
    return [
        ("volumes", f"key-{key}:/run/keys/{key}:ro"),
        ("volumes", {"type": "volume", "source": f"key-{key}", "target": "/tmp/x"}),
    ]


def of_swarm(key: str) -> list[tuple[str, Any]]:
    return [("secrets", f"casino_{key}"), ("secrets", {"source": f"casino_{key}"})]


def of_kubernetes(key: str) -> list[tuple[str, Any]]:
    name = key.rpartition(" ")[2] if key.startswith("all of") else "casino-secrets"
    if name != "casino-secrets":
        return [
            ("volumes", {"secret": {"secretName": name}}),
            ("containers", {"envFrom": [{"secretRef": {"name": name}}]}),
        ]
    items = [{"key": key, "path": "x"}]
    return [
        ("volumes", {"secret": {"secretName": name, "items": items}}),
        ("volumes", {"projected": {"sources": [{"secret": {"name": name, "items": items}}]}}),
        (
            "initContainers",
            {"env": [{"valueFrom": {"secretKeyRef": {"name": name, "key": key}}}]},
        ),
    ]


@dataclass(frozen=True)
class Deployment:
    """A kind of deployment: its services, how they get keys, and which are theirs."""

    services: Callable[[], dict[str, Definition]]
    keys_of: Callable[[Definition], set[str]]
    own: dict[str, set[str]]
    entries: Callable[[str], list[tuple[str, Any]]]
    """The ways to mount a further key: the section of a definition, and an entry of it."""

    def faults(self, changed: Mapping[str, Definition] | None = None) -> set[str]:
        """Return "SERVICE: KEY" for each key that is not the service's own, or is missing."""
        definitions = self.services() | dict(changed or {})
        assert set(definitions) == set(self.own)
        return {
            f"{service}: {key}"
            for service, definition in definitions.items()
            for key in self.keys_of(definition) ^ self.own[service]
        }


DEPLOYMENTS = {
    "Compose": Deployment(compose, in_compose, {**COMPOSE_KEYS, "mybot": set()}, of_compose),
    "Swarm": Deployment(services, on_swarm, SWARM, of_swarm),
    "Kubernetes": Deployment(
        lambda: of_kind("Deployment"), in_kubernetes, KUBERNETES, of_kubernetes
    ),
}


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_each_service_has_its_own_keys_and_no_others(name: str) -> None:
    """Players, and a bot of others, as well."""
    assert DEPLOYMENTS[name].faults() == set()


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_further_key_is_noticed(name: str) -> None:
    """Each one of each other service, in every form: all images run as one user."""
    deployment = DEPLOYMENTS[name]
    for service, keys in deployment.own.items():
        for key in set[str]().union(*deployment.own.values()) - keys:
            for section, entry in deployment.entries(key):
                definition = copy.deepcopy(deployment.services()[service])
                part = definition
                if name == "Kubernetes":
                    part = definition["spec"]["template"]["spec"]
                part[section] = [*part.get(section, ()), entry]
                assert deployment.faults({service: definition}) == {f"{service}: {key}"}


def test_a_directory_of_the_machine_is_noticed() -> None:
    """Docker's own has the volumes of every service."""
    for volume in ("/var/lib/docker/volumes:/v:ro", {"source": "/var/lib", "target": "/v"}):
        with pytest.raises(AssertionError, match="of the machine"):
            DEPLOYMENTS["Compose"].faults({"gateway": {"volumes": [volume]}})


def test_the_services_beside_the_lobby_have_derived_keys() -> None:
    """Of the one service that sees all, which has no network."""
    keys = compose_services()["keys"]
    derived = {word.partition(":")[0] for word in keys["command"] if word.endswith(":operator")}
    assert derived == set(SERVICES)
    assert keys["network_mode"] == "none"


def test_kubernetes_passes_secrets_as_files() -> None:
    """None is in a variable, which other processes of a pod and dumps of it show; it is noticed."""
    reference = {"secretKeyRef": {"name": "casino-secrets", "key": "FLEET_KEY"}}
    variables = (
        {"env": [{"name": "CASINO_FLEET_KEY", "valueFrom": reference}]},
        {"envFrom": [{"secretRef": {"name": "casino-secrets"}}]},
    )
    for workload in workloads().values():
        containers = workload.pod["containers"]
        assert not list(secret_references(containers))
        for variable in variables:
            assert list(secret_references([*containers, variable]))
        files = [name for name in workload.environment() if name.endswith("_FILE")]
        assert files


def test_swarm_gives_the_players_key_to_those_who_call_them() -> None:
    """So that dealer and lobby find the players' addresses without a step by hand."""
    files = {environment(player)["CASINO_PLAYER_KEY_FILE"] for player in PLAYERS}
    files.add(environment("dealer")["CASINO_DEALER_PLAYER_KEY_FILE"])
    assert files == {environment("lobby")["CASINO_LOBBY_SAMPLE_KEY_FILE"]}
