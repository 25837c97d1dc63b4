"""The images are small, hold no build tools or secrets, and run without rights."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.casino.docker import (
    BASE,
    IMAGES,
    ROOT,
    USER,
    build,
    docker,
    inspect,
    refused_writes,
    rights,
    stopped,
    version,
)
from support.requirements import IS_LONG
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HealthcheckWaitStrategy

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

TARGETS = pytest.mark.parametrize("target", IMAGES)
MOST_MB = {"player_example": 360}
"""Over the base image; of every other image 280, which all share."""
OWN = {"player_example": ["pydantic_ai"], "gateway": ["mcp"]}
"""Packages that not every image holds: clients of models' providers, and of hosts of models."""
PACKAGES = ["mcp", "pydantic_ai", "pytest", "testcontainers"]
"""Of which an image holds its own only, and none of the tests."""
SERVICES = {
    "evaluator": (
        4060,
        {},
        {
            ("rooms_not_closed", "warning"),
            ("left_rooms_unknown", "warning"),
            ("wait_began", "warning"),  # for its lobby
        },
    ),
    "match": (4070, {"CASINO_MATCH_OPERATOR_TOKEN": "the operator's key of this test"}, set()),
}
"""Port, environment, and what a service warns of that runs alone.

Those that are not among the services of `test_compose.py`, which has the same of all others.
"""
AUTHORITIES = ("/cacert.pem", "/grpc/_cython/_credentials/roots.pem")
"""Public authorities, of certifi and of gRPC."""
TOOLS = "as c++ cc clang cmake curl g++ gcc git ld make pip pip3 rustc wget"
BUILDERS = "ensurepip hatchling pip setuptools wheel"
LOOK = f"""
import asyncio, email, importlib.util, json, os, shutil, ssl, subprocess, typing
import pydantic, starlette, uvicorn
import casino_agentkit, casino_contracts

def held(names):
    return [name for name in names if importlib.util.find_spec(name)]

def held_by_base(names):
    code = "import importlib.util as u; print(*filter(u.find_spec, " + repr(names) + "))"
    base = ["/usr/local/bin/python", "-c", code]
    return subprocess.run(base, check=True, capture_output=True, text=True).stdout.split()

def is_compiled(module):
    with open(module.__cached__, "rb") as file:
        return file.read(8)[4] == 1  # PEP 552: by hash, unchecked

def is_foreign(directory, name):
    path = os.path.join(directory, name)
    if name in {{".git", ".env", "tests", "Dockerfile", "id_rsa", ".netrc", "pip.conf"}}:
        return "/casino/starters/templates" not in directory
    return name.endswith((".key", ".pem", ".whl")) and not path.endswith({AUTHORITIES})

modules = (asyncio, email, json, ssl, typing, pydantic, starlette, uvicorn,
           casino_agentkit, casino_contracts)
print(json.dumps({{
    "packages": sorted(held({PACKAGES})),
    "tools": [tool for tool in {TOOLS.split()} if shutil.which(tool)],
    "builders": held({BUILDERS.split()}) + held_by_base({BUILDERS.split()}),
    "foreign files": [
        os.path.join(directory, name)
        for top in ("/opt", "/src", "/root", "/home", "/tmp", "/var/lib/casino")
        for directory, directories, files in os.walk(top)
        for name in directories + files
        if is_foreign(directory, name)
    ],
    "data directories": [
        [one.st_uid, one.st_gid, oct(one.st_mode & 0o777)]
        for one in map(os.stat, ("/var/lib/casino", "/run/keys"))
    ],
    "not compiled": [module.__name__ for module in modules if not is_compiled(module)],
}}))
"""
"""A program that looks at the image it runs in, and prints what it found."""


def container(image: str, port: int, **environment: str) -> DockerContainer:
    """Return a container hardened as in the Compose file; it is ready when healthy."""
    given = DockerContainer(image).with_envs(**environment).with_exposed_ports(port)
    given.with_tmpfs_mount("/tmp", "size=16m")
    given.with_tmpfs_mount("/var/lib/casino", f"size=64m,uid={USER}")  # in place of a volume
    return given.waiting_for(HealthcheckWaitStrategy().with_poll_interval(0.1)).with_kwargs(
        init=True,
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        mem_limit="256m",
        pids_limit=100,
        healthcheck={"interval": 500_000_000},  # ns; what is asked stays the image's
    )


def found_in(image: str) -> dict[str, Any]:
    """Run the program in an image; returns what it found."""
    found: dict[str, Any] = json.loads(
        docker("run", "--rm", "--entrypoint", "python", image, "-c", LOOK)
    )
    return found


@TARGETS
def test_an_image_holds_what_its_service_needs_and_nothing_else(
    target: str, images: dict[str, str]
) -> None:
    """No compiler, git or installer, no sources, keys or tests; all is compiled.

    Starters and public authorities are wanted. A new volume gets owner and mode of the image's
    directory. What is not compiled in an image never is: nothing can be written at run time.
    """
    assert found_in(images[target]) == {
        "packages": OWN.get(target, []),
        "tools": [],
        "builders": [],
        "foreign files": [],
        "data directories": [[USER, USER, "0o700"]] * 2,
        "not compiled": [],
    }


@TARGETS
def test_an_image_is_small_describes_itself_and_has_no_trace_of_its_build_machine(
    target: str, images: dict[str, str]
) -> None:
    """In MB of 10^6 bytes, as docker prints them. No path, secret or private variable."""
    image, base = inspect(images[target], "image"), inspect(BASE, "image")
    assert (image["Size"] - base["Size"]) / 1e6 <= MOST_MB.get(target, 280)
    config = image["Config"]
    assert config["User"] == str(USER)
    assert config["StopSignal"] == "SIGTERM"
    assert "ready.py" in " ".join(config["Healthcheck"]["Test"])
    labels = {
        name.removeprefix("org.opencontainers.image."): text
        for name, text in config["Labels"].items()
    }
    assert labels["version"] == version()
    assert labels["licenses"] == "MIT"
    assert {"title", "description", "revision"} <= set(labels)
    assert all(labels.values())

    history = docker("history", "--no-trunc", "--format", "{{.CreatedBy}}", images[target])
    assert str(ROOT) not in history
    assert not [
        path
        for path in (*(f"/{name}/" for name in ("home", "Users", "root")), f"{Path.home()}/")
        if path in history
    ]
    given, based = (
        {one.partition("=")[0] for one in known["Config"]["Env"]} for known in (image, base)
    )
    ours = {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS"}
    meant = ("_HOST", "_PORT", "_DATA")
    assert {name for name in given - based - ours if not name.endswith(meant)} == set()


@pytest.mark.parametrize("target", SERVICES)
def test_a_service_runs_with_no_rights_and_ends_well(target: str, images: dict[str, str]) -> None:
    """Read-only root, no capabilities, a plain user; init forwards SIGTERM."""
    port, environment, wanted = SERVICES[target]
    with container(images[target], port, **environment) as service:
        name = service.get_container_id()
        granted = rights(name)
        assert granted["Uid"].split() == [str(USER)] * 4
        assert {granted[one].strip("0") for one in ("CapPrm", "CapEff", "CapBnd")} == {""}
        assert granted["NoNewPrivs"] == "1"
        places = ("/", "/etc", "/opt/venv", "/usr/local/bin", "/var/lib", "/tmp", "/dev/shm")
        for user in (USER, 0):
            assert refused_writes(name, *places[:5], user=user) == dict.fromkeys(
                places[:5], "EROFS"
            )
        assert refused_writes(name, *places[5:], "/var/lib/casino") == {}
        assert stopped(name, grace=60) == 0
        output, log = service.get_logs()
        assert output == b""
        lines = [json.loads(line) for line in log.splitlines()]
        warnings = {(line["event"], line["level"]) for line in lines if line["level"] != "info"}
        assert warnings <= {("no_tls", "warning"), *wanted}


def test_the_console_s_image_is_the_command(images: dict[str, str]) -> None:
    """`deal` is its default command."""
    help_text = docker("run", "--rm", images["console"], "--help")
    assert "deal" in help_text
    assert inspect(images["console"], "image")["Config"]["Cmd"] == ["deal"]


@pytest.mark.skipif(
    not IS_LONG,
    reason="a whole build; tests/deploy/test_dockerfile.py reads the instructions (CASINO_LONG=1)",
)
def test_the_classic_builder_builds_it(images: dict[str, str]) -> None:
    """For engines without BuildKit."""
    image = images["lobby"] + "-classic"
    build("lobby", image, DOCKER_BUILDKIT="0")
    try:
        assert inspect(image, "image")["Config"]["User"] == str(USER)
        assert found_in(image)["builders"] == []
    finally:
        docker("image", "rm", image)
