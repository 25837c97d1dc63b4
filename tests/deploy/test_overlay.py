"""Kustomize itself builds the overlay of docs/scale-out.md."""

import re
import shutil
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from support.casino.docker import ROOT, run
from support.deployment import KUBERNETES, NAMESPACE, Object, every_object, listed

COMPONENT = "components: [../kubernetes/autoscaling]"


def documented_overlay() -> str:
    """Return the overlay that the page has readers write."""
    page = (ROOT / "docs/scale-out.md").read_text()
    (overlay,) = [
        block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "images:" in block
    ]
    assert isinstance(overlay, str)
    return overlay


def built(folder: Path, overlay: str) -> list[Object]:
    """Build an overlay beside a copy of the manifests, as a reader of the page does."""
    if shutil.which("kubectl") is None:  # no package of Debian has a kubectl that is new enough
        pytest.skip("kubectl is not installed; other tests read the manifests without it")
    shutil.copytree(KUBERNETES, folder / "kubernetes")
    mine = folder / "mine"
    mine.mkdir()
    (mine / "kustomization.yaml").write_text(overlay)
    ran = run("kubectl", "kustomize", str(mine))
    assert (ran.returncode, ran.stderr) == (0, "")
    return list(yaml.safe_load_all(ran.stdout))


def identities(items: list[Object]) -> set[tuple[str, str]]:
    return {(item["kind"], item["metadata"]["name"]) for item in items}


@pytest.mark.full
def test_the_overlay_sets_registry_and_release(tmp_path: Path) -> None:
    """And leaves nothing out."""
    items = built(tmp_path, documented_overlay())
    assert identities(items) == identities(listed())
    deployments = [item for item in items if item["kind"] == "Deployment"]
    images = {item["spec"]["template"]["spec"]["containers"][0]["image"] for item in deployments}
    assert images == {"REGISTRY/a2a-casino/lobby:1", "REGISTRY/a2a-casino/table:1"}
    for item in items:
        kubernetes_validate.validate(item, "1.37", strict=True)
        assert item["kind"] == "Namespace" or item["metadata"]["namespace"] == NAMESPACE


@pytest.mark.full
def test_with_the_component_the_autoscaler_owns_the_number_of_tables(tmp_path: Path) -> None:
    """`kubectl apply` does not set it back."""
    page = (ROOT / "docs/scale-out.md").read_text()
    assert COMPONENT in page
    items = built(tmp_path, f"{documented_overlay()}{COMPONENT}\n")
    assert identities(items) == identities(every_object())
    (tables,) = [
        item
        for item in items
        if (item["kind"], item["metadata"]["name"]) == ("Deployment", "tables")
    ]
    assert "replicas" not in tables["spec"]
