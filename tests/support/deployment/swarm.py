"""The stack files of `deploy/swarm`, read as `docker stack deploy` merges them."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from support.casino.docker import ROOT

FOLDER = ROOT / "deploy" / "swarm"
FILES = ("stack.yml", "postgres.yml", "samples.yml")

_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}")


@cache
def stack() -> dict[str, Any]:
    """Return the sections of all stack files together."""
    merged: dict[str, dict[str, Any]] = {}
    for file in FILES:
        content = yaml.safe_load((FOLDER / file).read_text())
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
