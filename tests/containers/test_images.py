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
    container,
    docker,
    inspect,
    refused_writes,
    rights,
    stopped,
    version,
)
from support.requirements import IS_LONG

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

TARGETS = pytest.mark.parametrize("target", IMAGES)
MOST_MB = {
    "lobby": 200,
    "table": 200,
    "player_example": 160,
    "gateway": 200,
    "evaluator": 200,
    "match": 200,
    "console": 200,
}
OWN = {
    "lobby": set(),
    "table": {"treys", "numpy"},
    "player_example": {"treys", "numpy"},
    "gateway": set(),
    "evaluator": {"treys", "numpy"},
    "match": {"treys", "numpy"},
    "console": {"typer", "rich"},
}
OURS = {
    "lobby": {"casino_lobby"},
    "table": {"casino_play"},
    "player_example": set(),
    "gateway": {"casino_gateway"},
    "evaluator": {"casino_evaluator"},
    "match": {"casino_match", "casino_play"},
    "console": {"casino", "casino_lobby", "casino_match", "casino_play"},
}
"""Packages of ours that not every image holds."""
SERVICES = {
    "lobby": 4000,
    "table": 4500,
    "player_example": 4100,
    "gateway": 4050,
    "evaluator": 4060,
    "match": 4070,
}
KEYS = {
    "lobby": {"CASINO_LOBBY_OPERATOR_TOKEN": "the operator's key of this test"},
    "table": {"CASINO_TABLE_FLEET_KEY": "the fleet's key of this test"},
    "match": {"CASINO_MATCH_OPERATOR_TOKEN": "the operator's key of this test"},
}
"""Without which a service does not listen beyond loopback."""
WARNINGS = {
    "gateway": [("a2g_games_unknown", "warning")],
    "evaluator": [("rooms_not_closed", "warning"), ("left_rooms_unknown", "warning")],
}
"""What a service warns of that runs alone; and of keys that travel in clear."""
AUTHORITIES = ("/cacert.pem", "/grpc/_cython/_credentials/roots.pem")
"""Public authorities, of certifi and of gRPC."""
TOOLS = "as c++ cc clang cmake curl g++ gcc git ld make pip pip3 rustc wget"
BUILDERS = "ensurepip hatchling pip setuptools wheel"


def size(image: str) -> int:
    """Return the size of an image in bytes."""
    found = inspect(image, "image")["Size"]
    assert isinstance(found, int)
    return found


def values_in(image: str, code: str, python: str = "python") -> list[Any]:
    """Run Python in an image; returns the list that it prints."""
    values = json.loads(docker("run", "--rm", "--entrypoint", python, image, "-c", code))
    assert isinstance(values, list)
    return values


def found_by(image: str, packages: str, python: str = "python") -> set[str]:
    code = f"""
import importlib.util as u, json
print(json.dumps([name for name in {packages.split()} if u.find_spec(name)]))
"""
    return set(values_in(image, code, python))


@TARGETS
def test_an_image_adds_little_to_its_base(target: str, images: dict[str, str]) -> None:
    """In MB of 10^6 bytes, as docker prints them."""
    assert (size(images[target]) - size(BASE)) / 1e6 <= MOST_MB[target]


@TARGETS
def test_an_image_holds_its_own_extra_only(target: str, images: dict[str, str]) -> None:
    """And no package of the tests."""
    everything = "numpy pytest rich testcontainers treys typer"
    assert found_by(images[target], everything) == OWN[target]


@TARGETS
def test_an_image_holds_the_packages_that_its_service_imports(
    target: str, images: dict[str, str]
) -> None:
    """Of ours, beside those that all have."""
    some = " ".join(sorted(set().union(*OURS.values())))
    assert found_by(images[target], some) == OURS[target]


@TARGETS
def test_an_image_holds_nothing_to_build_with(target: str, images: dict[str, str]) -> None:
    """No compiler, git or installer, in the environment or in the base's Python."""
    code = f"""
import json, shutil
print(json.dumps([tool for tool in {TOOLS.split()} if shutil.which(tool)]))
"""
    assert values_in(images[target], code) == []
    assert not found_by(images[target], BUILDERS)
    assert not found_by(images[target], BUILDERS, "/usr/local/bin/python")


@TARGETS
def test_an_image_holds_no_trace_of_its_build_machine(target: str, images: dict[str, str]) -> None:
    """No path, secret or private variable."""
    history = docker("history", "--no-trunc", "--format", "{{.CreatedBy}}", images[target])
    assert str(ROOT) not in history
    assert not [
        path
        for path in (*(f"/{name}/" for name in ("home", "Users", "root")), f"{Path.home()}/")
        if path in history
    ]
    given = {one.partition("=")[0] for one in inspect(images[target], "image")["Config"]["Env"]}
    based = {one.partition("=")[0] for one in inspect(BASE, "image")["Config"]["Env"]}
    ours = {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS"}
    meant = ("_HOST", "_PORT", "_DATA")
    assert {name for name in given - based - ours if not name.endswith(meant)} == set()


@TARGETS
def test_an_image_holds_no_foreign_file(target: str, images: dict[str, str]) -> None:
    """No sources, tests, environment files or keys; public authorities and starters are wanted."""
    code = f"""
import json, os
bad = [os.path.join(directory, name)
       for top in ("/opt", "/src", "/root", "/home", "/tmp", "/var/lib/casino")
       for directory, directories, files in os.walk(top)
       for name in directories + files
       if name in {{".git", ".env", "tests", "Dockerfile", "id_rsa", ".netrc", "pip.conf"}}
       and "/casino/starters/templates" not in directory
       or name.endswith((".key", ".pem", ".whl"))
       and not os.path.join(directory, name).endswith({AUTHORITIES})]
print(json.dumps(bad))
"""
    assert values_in(images[target], code) == []


@TARGETS
def test_data_directories_are_of_their_user_alone(target: str, images: dict[str, str]) -> None:
    """A new volume gets owner and mode of the image's directory."""
    code = """
import json, os
print(json.dumps([[one.st_uid, one.st_gid, oct(one.st_mode & 0o777)]
                  for one in map(os.stat, ("/var/lib/casino", "/run/keys"))]))
"""
    assert values_in(images[target], code) == [[USER, USER, "0o700"]] * 2


@TARGETS
def test_an_image_describes_itself(target: str, images: dict[str, str]) -> None:
    """User, signal, health check and OCI labels."""
    config = inspect(images[target], "image")["Config"]
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


@TARGETS
def test_everything_in_an_image_is_compiled(target: str, images: dict[str, str]) -> None:
    """The base's library as well: nothing can be written at run time."""
    code = """
import asyncio, email, json, pydantic, ssl, starlette, typing, uvicorn
import casino_agentkit, casino_contracts
def is_compiled(module):
    with open(module.__cached__, "rb") as file:
        return file.read(8)[4] == 1  # PEP 552: by hash, unchecked
modules = (asyncio, email, json, ssl, typing, pydantic, starlette, uvicorn,
           casino_agentkit, casino_contracts)
print(json.dumps([module.__name__ for module in modules if not is_compiled(module)]))
"""
    assert values_in(images[target], code) == []


@pytest.mark.parametrize("target", SERVICES)
def test_a_service_runs_with_no_rights_and_ends_well(target: str, images: dict[str, str]) -> None:
    """Read-only root, no capabilities, a plain user; init forwards SIGTERM."""
    with container(images[target], SERVICES[target], **KEYS.get(target, {})) as service:
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
        code, took = stopped(name, grace=10)
        assert code == 0
        assert took < 5
        output, log = service.get_logs()
        assert output == b""
        lines = [json.loads(line) for line in log.splitlines()]
        warnings = {(line["event"], line["level"]) for line in lines if line["level"] != "info"}
        assert warnings <= {("no_tls", "warning"), *WARNINGS.get(target, ())}


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
        assert found_by(image, "casino_lobby pip") == {"casino_lobby"}
    finally:
        docker("image", "rm", image)
