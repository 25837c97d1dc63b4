"""Docker commands, images and containers of the tests."""

import json
import os
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.processes import PATIENCE_S
from support.requirements import unavailable

ROOT = Path(__file__).parents[3]
BASE = "python:3.11-slim-bookworm"
TAG = "test"
IMAGES = {
    target: f"a2a-casino/{target}:{TAG}"
    for target in ("lobby", "table", "player_example", "gateway", "evaluator", "match", "console")
}
USER = 10001
HARDENED = (
    f"--user={USER}:{USER}",
    "--init",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges:true",
)
"""As the override example has its bot."""
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("CASINO_", "COMPOSE_"))
}
"""The environment of all commands, without settings of a developer's own casino."""


def run(
    *command: str | Path,
    environment: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    seconds: float | None = None,
    given: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; `given` is its standard input."""
    return subprocess.run(
        [str(word) for word in command],
        env={**ENVIRONMENT, **(environment or {})},
        cwd=cwd,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )


def docker(
    *arguments: str | Path, environment: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> str:
    """Run docker, which must succeed; returns its output."""
    ran = run("docker", *arguments, environment=environment, cwd=cwd)
    assert ran.returncode == 0, f"docker {' '.join(map(str, arguments))}: {ran.stdout}{ran.stderr}"
    return ran.stdout.strip()


def inspect(name: str, *kind: str) -> dict[str, Any]:
    """Return the engine's description of a container, or with `image` of an image."""
    (known,) = json.loads(docker(*kind, "inspect", name))
    assert isinstance(known, dict)
    return known


def require_engine() -> None:
    """Skip, or fail in CI, where there is no engine with Compose v2."""
    try:
        for command in (("docker", "info"), ("docker", "compose", "version")):
            asked = run(*command, seconds=PATIENCE_S)
            if asked.returncode:
                unavailable(f"{' '.join(command)}: {(asked.stderr or asked.stdout)[-300:].strip()}")
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        unavailable(f"no Docker engine: {error}")


def build(target: str, image: str, **environment: str) -> None:
    """Build an image as the README says, with the builder that the environment asks for."""
    docker("build", "--quiet", "--target", target, "--tag", image, ".", environment=environment)


def version() -> str:
    with (ROOT / "pyproject.toml").open("rb") as file:
        reported = tomllib.load(file)["project"]["version"]
    assert isinstance(reported, str)
    return reported


def in_container(name: str, code: str, user: int = USER) -> str:
    """Run Python in a container; returns its output."""
    return docker("exec", "--user", str(user), name, "python", "-c", code)


def refused_writes(name: str, *paths: str, user: int = USER) -> dict[str, str]:
    """Return the directories in which no file can be created, with the error."""
    code = f"""
import errno, json, os
refused = {{}}
for path in {paths}:
    try:
        with open(os.path.join(path, "written"), "x") as file:
            file.write("x")
        os.remove(file.name)
    except OSError as error:
        refused[path] = errno.errorcode[error.errno]
print(json.dumps(refused))
"""
    refused = json.loads(in_container(name, code, user))
    assert isinstance(refused, dict)
    return refused


def rights(name: str) -> dict[str, str]:
    """Return user, capabilities and privileges of the service's process."""
    code = """
import glob, json
wanted = {"Name", "Uid", "CapPrm", "CapEff", "CapBnd", "NoNewPrivs"}
for path in glob.glob("/proc/[0-9]*/status"):
    lines = dict(line.rstrip().split(":\\t", 1) for line in open(path) if ":\\t" in line)
    if lines["PPid"] == "1":  # the child of init
        print(json.dumps({name: lines[name] for name in wanted}))
        break
"""
    granted = json.loads(in_container(name, code))
    assert isinstance(granted, dict)
    return granted


def stopped(name: str, grace: int) -> int:
    """Stop a container; returns its exit code, 137 if it outlasts a grace in seconds."""
    docker("stop", "-t", str(grace), name)
    return int(inspect(name)["State"]["ExitCode"])
