"""What `deploy/` describes: manifests as kustomize reads them, stack files as Docker merges them.

And the settings of the services, which get these variables.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from casino.up.dealer import DealerSettings
from casino_agentkit import ServiceSettings
from casino_evaluator.settings import EvaluatorSettings
from casino_gateway.settings import GatewaySettings
from casino_lobby.settings import LobbySettings
from casino_match.settings import MatchSettings
from casino_player_example.settings import PlayerSettings
from casino_table.settings import TableSettings

from support.casino.docker import ROOT

SPARE = timedelta(seconds=10)
"""For a process to close its connections on a busy machine, beside what its settings say."""

# Compose

COMPOSE_FILES = ("docker-compose.yml", "docker-compose.override.example.yml")
SAMPLES = ("tight", "equity", "loose", "aggressive", "tricky", "cautious")
COMPOSE_KEYS: dict[str, set[str]] = {
    "lobby": {"operator", "fleet", "players"},
    "table": {"fleet"},
    "gateway": {"gateway"},
    "evaluator": {"evaluator"},
    "evaluator-tables": {"fleet"},
    "match": {"match"},
    "dealer": {"dealer", "players"},
    **{player: {"players"} for player in SAMPLES},
}
"""Which keys each service reads, beside the one that makes them."""


@cache
def compose_services() -> dict[str, dict[str, Any]]:
    """Return what each service is started with, by both files together."""
    merged: dict[str, dict[str, Any]] = {}
    for file in COMPOSE_FILES:
        for service, definition in yaml.safe_load((ROOT / file).read_text())["services"].items():
            known = merged.setdefault(service, {})
            for name, value in definition.items():
                match value:
                    case dict():
                        known[name] = {**known.get(name, {}), **value}
                    case list():
                        known[name] = [*known.get(name, []), *value]
                    case _:
                        known[name] = value
    return merged


# Kubernetes

KUBERNETES = ROOT / "deploy" / "kubernetes"
AUTOSCALING = KUBERNETES / "autoscaling"
KUSTOMIZATION = "kustomization.yaml"
NAMESPACE = "casino"

Object = dict[str, Any]
"""A Kubernetes object, or a part of one."""


def kustomization(folder: Path = KUBERNETES) -> Object:
    content: Object = yaml.safe_load((folder / KUSTOMIZATION).read_text())
    return content


def listed(folder: Path = KUBERNETES) -> list[Object]:
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

    def environment(self) -> dict[str, str]:
        """Return the variables as the container gets them."""
        values: dict[str, str] = {}
        for variable in self.container["env"]:
            match variable:
                case {"value": text}:
                    for name, value in values.items():
                        text = text.replace(f"$({name})", value)
                    values[variable["name"]] = text
                case {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}:
                    values[variable["name"]] = "10.1.2.3"
        return values


def workloads() -> dict[str, Workload]:
    return {name: Workload(manifest) for name, manifest in of_kind("Deployment").items()}


def secret_references(part: Any) -> Iterator[tuple[str, str | None]]:
    """Yield each secret that a pod, or a part of it, names in any form; None is all its keys."""
    if isinstance(part, list):
        for item in part:
            yield from secret_references(item)
    elif isinstance(part, dict):
        for form, value in part.items():
            if form in {"secret", "secretRef", "secretKeyRef"}:
                name = value.get("name") or value["secretName"]
                for item in value.get("items", [value]):
                    yield name, item.get("key")
            else:
                yield from secret_references(value)


# Swarm

SWARM = ROOT / "deploy" / "swarm"
FILES = ("stack.yml", "postgres.yml", "samples.yml")

_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}")


@cache
def stack() -> dict[str, Any]:
    """Return the sections of all stack files together."""
    merged: dict[str, dict[str, Any]] = {}
    for file in FILES:
        content = yaml.safe_load((SWARM / file).read_text())
        for section in ("services", "networks", "secrets", "configs", "volumes"):
            merged.setdefault(section, {}).update(content.get(section, {}))
    return merged


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = stack()["services"]
    return found


def interpolated(text: str, variables: Mapping[str, str] | None = None) -> str:
    """Replace `${NAME:-default}` as Docker does."""
    values = variables or {}
    return _VARIABLE.sub(
        lambda match: values.get(match["name"]) or match["default"] or "", str(text)
    )


def seconds(duration: str) -> float:
    """Return a duration of a stack file, such as 75s, in seconds."""
    match = re.fullmatch(r"(\d+)s", duration)
    assert match, duration
    return float(match[1])


def environment(service: str) -> dict[str, str]:
    """Return the variables that a service gets; empty ones count as absent."""
    variables = services()[service].get("environment", {})
    return {name: text for name, value in variables.items() if (text := interpolated(value or ""))}


# Settings

BY_IMAGE: dict[str, type[ServiceSettings]] = {
    "console": DealerSettings,
    "evaluator": EvaluatorSettings,
    "gateway": GatewaySettings,
    "lobby": LobbySettings,
    "match": MatchSettings,
    "player_example": PlayerSettings,
    "table": TableSettings,
}
"""By the last part of an image's name."""
LISTENING = {"HOST": "0.0.0.0"}
"""What the images set: their services are reached from other machines."""
DATABASE = "postgresql+asyncpg://casino:secret@database.example:5432/casino"
KEY = "a-key-of-more-than-sixteen-characters"


def settings_of_image(image: str) -> type[ServiceSettings] | None:
    """Return the settings of an image of the casino; None for an image of others."""
    name = image.partition(":")[0]
    return BY_IMAGE[name.rpartition("/")[2]] if "a2a-casino/" in name else None


def loaded(
    settings: type[ServiceSettings], environment: Mapping[str, str], folder: Path
) -> ServiceSettings:
    """Load what a container would; secrets in files are written into a folder.

    Raises InvalidSettings for a variable that is no setting, and for a value that is not accepted.
    """
    values = {settings.prefix + name: value for name, value in LISTENING.items()}
    for name, value in environment.items():
        if name.endswith("_FILE"):
            file = folder / name
            file.write_text(DATABASE if name.endswith("_DATABASE_FILE") else KEY)
            file.chmod(0o400)
            values[name] = str(file)
        else:
            values[name] = value
    return settings.load(values)


def default(settings: type[ServiceSettings], name: str) -> Any:
    return settings.model_fields[name].default
