"""The manifests of `deploy/kubernetes`, read as kustomize reads them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from support.casino.docker import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
AUTOSCALING = FOLDER / "autoscaling"
KUSTOMIZATION = "kustomization.yaml"
NAMESPACE = "casino"

Object = dict[str, Any]
"""A Kubernetes object, or a part of one."""


def kustomization(folder: Path = FOLDER) -> Object:
    content: Object = yaml.safe_load((folder / KUSTOMIZATION).read_text())
    return content


def listed(folder: Path = FOLDER) -> list[Object]:
    """Return all objects of the files that a kustomization lists, in its order."""
    return [
        document
        for name in kustomization(folder)["resources"]
        for document in yaml.safe_load_all((folder / name).read_text())
        if document
    ]


def every_object() -> list[Object]:
    """Return the objects of the casino, and those of the optional component."""
    return [*listed(), *listed(AUTOSCALING)]


def of_kind(kind: str) -> dict[str, Object]:
    return {item["metadata"]["name"]: item for item in every_object() if item["kind"] == kind}


def matches(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return False
    for rule in selector.get("matchExpressions", ()):
        is_in = labels.get(rule["key"]) in rule["values"]
        if is_in is not {"In": True, "NotIn": False}[rule["operator"]]:
            return False
    return True


@dataclass(frozen=True)
class Workload:
    """A Deployment with one container."""

    manifest: Object

    @property
    def name(self) -> str:
        return str(self.manifest["metadata"]["name"])

    @property
    def labels(self) -> dict[str, str]:
        labels: dict[str, str] = self.manifest["spec"]["template"]["metadata"]["labels"]
        return labels

    @property
    def pod(self) -> Object:
        pod: Object = self.manifest["spec"]["template"]["spec"]
        return pod

    @property
    def container(self) -> Object:
        (container,) = self.pod["containers"]
        assert isinstance(container, dict)
        return container

    @property
    def ports(self) -> dict[str, int]:
        return {port["name"]: port["containerPort"] for port in self.container["ports"]}

    def environment(self, secrets: Mapping[str, str]) -> dict[str, str]:
        """Return the variables as the container gets them; `secrets` has the values of keys."""
        values: dict[str, str] = {}
        for variable in self.container["env"]:
            match variable:
                case {"value": text}:
                    for name, value in values.items():
                        text = text.replace(f"$({name})", value)
                    values[variable["name"]] = text
                case {"valueFrom": {"secretKeyRef": reference}}:
                    values[variable["name"]] = secrets[reference["key"]]
                case {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}:
                    values[variable["name"]] = "10.1.2.3"
        return values


def workloads() -> dict[str, Workload]:
    return {name: Workload(manifest) for name, manifest in of_kind("Deployment").items()}


def secret_references(workload: Workload) -> Iterator[tuple[str, str | None]]:
    for variable in workload.container["env"]:
        reference = variable.get("valueFrom", {}).get("secretKeyRef")
        if reference:
            yield reference["name"], reference["key"]
    for volume in workload.pod["volumes"]:
        if "secret" in volume:
            yield volume["secret"]["secretName"], None
