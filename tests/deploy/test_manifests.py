"""The Kubernetes manifests are valid objects of the current API, and none is forgotten."""

from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from support.deployment import (
    AUTOSCALING,
    KUBERNETES,
    KUSTOMIZATION,
    NAMESPACE,
    Object,
    every_object,
    kustomization,
    listed,
    of_kind,
)

pytestmark = pytest.mark.full  # needs kubernetes_validate

VERSION = "1.37"
"""The newest API that the pinned schemas have."""
OLDEST = "1.34"
"""The oldest Kubernetes that docs/scale.md promises."""
CLUSTER_WIDE = {"Namespace"}


def named(item: Object) -> str:
    """Return the id of an object in a report."""
    return f"{item['kind']}/{item['metadata']['name']}"


@pytest.mark.parametrize("version", [OLDEST, VERSION])
@pytest.mark.parametrize("item", every_object(), ids=named)
def test_every_object_is_valid(item: Object, version: str) -> None:
    """Strictly: an unknown field is a fault."""
    assert kubernetes_validate.validate(item, version, strict=True) == version


@pytest.mark.parametrize("folder", [KUBERNETES, AUTOSCALING], ids=lambda folder: folder.name)
def test_every_file_is_listed(folder: Path) -> None:
    """A manifest that no kustomization lists would never be applied."""
    files = {path.name for path in folder.glob("*.y*ml")} - {KUSTOMIZATION}
    assert sorted(kustomization(folder)["resources"]) == sorted(files)


def test_no_manifest_is_outside_of_these_folders() -> None:
    """Each folder has a kustomization."""
    folders = {path.parent for path in KUBERNETES.rglob("*.y*ml")}
    assert folders == {KUBERNETES, AUTOSCALING}


def test_no_object_is_there_twice() -> None:
    """Kind and name identify it."""
    names = [named(item) for item in every_object()]
    assert len(names) == len(set(names))


def test_all_objects_are_in_the_namespace() -> None:
    """Kustomize sets it for the casino; a component has no transformer of its own."""
    assert kustomization()["namespace"] == NAMESPACE
    assert set(of_kind("Namespace")) == {NAMESPACE}
    for item in listed():
        if item["kind"] not in CLUSTER_WIDE:
            assert item["metadata"].get("namespace", NAMESPACE) == NAMESPACE
    for item in listed(AUTOSCALING):
        assert item["metadata"]["namespace"] == NAMESPACE


def test_the_component_hands_the_number_of_pods_to_the_autoscaler() -> None:
    """What it patches and what it scales is the Deployment of the tables."""
    component = kustomization(AUTOSCALING)
    assert component["kind"] == "Component"
    (patch,) = component["patches"]
    (autoscaler,) = of_kind("HorizontalPodAutoscaler").values()
    target = autoscaler["spec"]["scaleTargetRef"]
    assert (patch["target"]["kind"], patch["target"]["name"]) == (target["kind"], target["name"])
    assert "replicas" in of_kind(target["kind"])[target["name"]]["spec"]
    assert yaml.safe_load(patch["patch"]) == [{"op": "remove", "path": "/spec/replicas"}]
