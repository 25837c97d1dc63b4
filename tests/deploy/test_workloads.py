"""The pods fit the services: settings, ports, probes, times, rights, secrets."""

import re
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from casino_agentkit import InvalidSettings, Service
from casino_lobby.settings import LobbySettings
from casino_table.delivery.announcer import GOODBYE_LIMIT
from casino_table.running_table import FLUSH_LIMIT
from casino_table.settings import TableSettings
from prometheus_client import CollectorRegistry
from support.casino.docker import ROOT, USER
from support.deployment import (
    KUBERNETES,
    NAMESPACE,
    SPARE,
    Workload,
    loaded,
    matches,
    of_kind,
    secret_references,
    settings_of_image,
    workloads,
)

WORKLOADS = workloads()
IMAGES = {"lobby": "a2a-casino/lobby", "tables": "a2a-casino/table"}


@pytest.fixture(params=sorted(WORKLOADS))
def workload(request: pytest.FixtureRequest) -> Workload:
    """Each Deployment."""
    return WORKLOADS[request.param]


def lobby_settings(folder: Path) -> LobbySettings:
    environment = WORKLOADS["lobby"].environment()
    settings = loaded(LobbySettings, environment, folder)
    assert isinstance(settings, LobbySettings)
    return settings


def table_settings(folder: Path) -> TableSettings:
    environment = WORKLOADS["tables"].environment()
    settings = loaded(TableSettings, environment, folder)
    assert isinstance(settings, TableSettings)
    return settings


def test_the_images_are_those_of_the_casino() -> None:
    """Without a registry, which an overlay sets."""
    assert {
        name: workload.container["image"].partition(":")[0] for name, workload in WORKLOADS.items()
    } == IMAGES


def test_the_service_accepts_its_variables(workload: Workload, tmp_path: Path) -> None:
    """Each is a setting with a valid value; a service refuses to start with any other."""
    settings = settings_of_image(workload.container["image"])
    assert settings is not None
    environment = workload.environment()
    loaded(settings, environment, tmp_path)
    with pytest.raises(InvalidSettings, match="unknown setting"):
        loaded(settings, {**environment, f"{settings.prefix}REPLICAS": "2"}, tmp_path)


def test_the_ports_are_those_on_which_the_images_listen(workload: Workload) -> None:
    """As the Dockerfile sets them."""
    target = IMAGES[workload.name].rpartition("/")[2]
    stage = (ROOT / "Dockerfile").read_text().partition(f"AS {target}\n")[2].partition("FROM ")[0]
    exposed = re.findall(r"^EXPOSE (\d+)$", stage, re.MULTILINE)
    assert [str(port) for port in workload.ports.values()] == exposed
    annotations = workload.manifest["spec"]["template"]["metadata"]["annotations"]
    assert [annotations["prometheus.io/port"]] == exposed


async def test_the_probes_ask_routes_that_exist(workload: Workload) -> None:
    """Alive is /healthz, ready is /readyz; the kubelet asks at the address of the pod."""
    ports = workload.ports
    service = Service({}, registry=CollectorRegistry())
    transport = httpx.ASGITransport(service.asgi())
    paths = {}
    async with httpx.AsyncClient(transport=transport, base_url="http://10.1.2.3") as kubelet:
        for name in ("startupProbe", "livenessProbe", "readinessProbe"):
            request = workload.container[name]["httpGet"]
            assert request["port"] in ports
            paths[name] = request["path"]
            assert (await kubelet.get(request["path"])).status_code == 200
        assert (await kubelet.get("/health")).status_code == 404
    assert paths["livenessProbe"] == paths["startupProbe"] == "/healthz"
    assert paths["readinessProbe"] == "/readyz"


def test_a_lobby_has_time_to_drain(tmp_path: Path) -> None:
    """Before Kubernetes kills it."""
    grace = timedelta(seconds=WORKLOADS["lobby"].pod["terminationGracePeriodSeconds"])
    assert grace >= lobby_settings(tmp_path).drain_timeout + SPARE


def test_a_table_has_time_to_say_goodbye(tmp_path: Path) -> None:
    """After the running hand, when its events are delivered."""
    grace = timedelta(seconds=WORKLOADS["tables"].pod["terminationGracePeriodSeconds"])
    needed = table_settings(tmp_path).drain_timeout + FLUSH_LIMIT + GOODBYE_LIMIT
    assert grace >= needed + SPARE


def test_the_lobby_accepts_as_many_tables_as_there_are(tmp_path: Path) -> None:
    """One more pod during an update, or all that the autoscaler may start."""
    count, lobby = table_settings(tmp_path).count, lobby_settings(tmp_path)
    tables = WORKLOADS["tables"].manifest["spec"]
    (autoscaler,) = of_kind("HorizontalPodAutoscaler").values()
    surge = tables["strategy"]["rollingUpdate"]["maxSurge"]
    pods = max(tables["replicas"], autoscaler["spec"]["maxReplicas"]) + surge
    assert count <= lobby.announced_tables_per_origin
    assert count * pods <= lobby.announced_tables


def test_the_tables_announce_themselves_at_the_service(tmp_path: Path) -> None:
    """Which selects the lobby's pods, at their port."""
    service = of_kind("Service")["lobby"]["spec"]
    lobby = WORKLOADS["lobby"]
    assert matches({"matchLabels": service["selector"]}, lobby.labels)
    assert not matches({"matchLabels": service["selector"]}, WORKLOADS["tables"].labels)
    (port,) = service["ports"]
    assert port["targetPort"] in lobby.ports
    url = f"http://lobby.{NAMESPACE}.svc:{port['port']}"
    assert lobby_settings(tmp_path).public_url == url
    assert table_settings(tmp_path).lobby_url == url


def test_a_table_is_called_at_the_address_of_its_pod(tmp_path: Path) -> None:
    """At the port on which it listens."""
    port = WORKLOADS["tables"].ports["http"]
    assert table_settings(tmp_path).public_url == f"http://10.1.2.3:{port}"


def test_the_pods_have_no_rights(workload: Workload) -> None:
    """The user is that of the images."""
    pod, container = workload.pod, workload.container
    context = pod["securityContext"]
    assert context["runAsNonRoot"] is True
    assert context["runAsUser"] == context["runAsGroup"] == context["fsGroup"] == USER
    assert f"USER {USER}" in (ROOT / "Dockerfile").read_text()
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_what_is_written_has_a_place(workload: Workload, tmp_path: Path) -> None:
    """The root file system is read-only: /tmp and the data directory are volumes."""
    mounts = {mount["name"]: mount for mount in workload.container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in workload.pod["volumes"]}
    assert set(mounts) == set(volumes)
    written = {
        mounts[name]["mountPath"] for name, volume in volumes.items() if "emptyDir" in volume
    }
    assert written == {"/tmp", "/var/lib/casino"}
    assert str(table_settings(tmp_path).data) in written
    card_key = lobby_settings(tmp_path).card_key
    assert card_key is not None
    if workload.name == "lobby":
        assert mounts["keys"]["mountPath"] == str(card_key.parent)


def test_keys_are_open_to_the_user_of_the_pod_only(workload: Workload) -> None:
    """Files, readable by its group and by nobody else: the lobby refuses any other card key."""
    (volume,) = [item for item in workload.pod["volumes"] if item["name"] == "keys"]
    assert (volume.get("secret") or volume["projected"])["defaultMode"] == 0o440


def test_resources_are_bounded(workload: Workload) -> None:
    """Requests for the scheduler, a limit of memory, no throttling of the clock's CPU."""
    resources = workload.container["resources"]
    assert {"cpu", "memory"} <= set(resources["requests"])
    assert "memory" in resources["limits"]
    assert "cpu" not in resources["limits"]


def test_secrets_are_references_to_what_the_example_names(workload: Workload) -> None:
    """No value of a secret is in the repository."""
    lines = (KUBERNETES / "secrets.example.env").read_text().splitlines()
    example = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert set(example) == {"OPERATOR_TOKEN", "FLEET_KEY", "DATABASE_URL"}
    assert not any(example.values())
    for name, key in secret_references(workload.pod):
        assert (name, key in example) == ("casino-secrets", True) or (name, key) == (
            "casino-card-key",
            None,
        )
    settings = settings_of_image(workload.container["image"])
    assert settings is not None
    for variable in workload.container["env"]:
        field = variable["name"].removeprefix(settings.prefix).lower()
        if field in settings.model_fields and settings.is_secret(field):
            assert "value" not in variable


def test_the_documented_secrets_are_those_that_pods_use() -> None:
    """docs/scale.md creates them."""
    page = (ROOT / "docs/scale.md").read_text()
    for workload in WORKLOADS.values():
        for name, _key in secret_references(workload.pod):
            assert f"create secret generic {name} " in page
