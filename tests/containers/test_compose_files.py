"""The Compose files, as both generations of Compose read them."""

import shutil
from pathlib import Path

import pytest
from support.containers import ROOT, require_engine, run, unavailable

pytestmark = [pytest.mark.containers, pytest.mark.timeout(60)]

FILES = ("docker-compose.yml", "docker-compose.override.example.yml")


@pytest.fixture(scope="module")
def compose_v1() -> str:
    """Find Compose v1, as Debian 12 has it; without it tests are skipped, in CI they fail.

    The command of the same name may be v2 in disguise.
    """
    command = shutil.which("docker-compose")
    told = run(command, "version").stdout if command else ""
    if not command or "version 1." not in told:
        unavailable("Compose v1 is not installed (Debian 12's package docker-compose)")
    return command


@pytest.fixture(scope="module")
def compose_v2() -> tuple[str, ...]:
    """Find Compose v2."""
    require_engine()
    return ("docker", "compose")


def faults(*command: str) -> str:
    """Return what Compose says against the files, each merged with those before it."""
    told = []
    for count in range(1, len(FILES) + 1):
        files = [word for name in FILES[:count] for word in ("--file", str(ROOT / name))]
        ran = run(*command, *files, "config", "--quiet")
        told.append(ran.stdout + ran.stderr if ran.returncode else ran.stderr)
    return "".join(told)


def test_compose_v1_accepts_the_files(compose_v1: str) -> None:
    """Without a word."""
    assert faults(compose_v1) == ""


def test_compose_v2_accepts_the_files(compose_v2: tuple[str, ...]) -> None:
    """Without a word."""
    assert faults(*compose_v2) == ""


@pytest.mark.parametrize("name", FILES)
def test_the_files_name_no_place_but_public_ones(name: str) -> None:
    """Neither a path of this machine nor a registry's host."""
    text = (ROOT / name).read_text()
    assert str(ROOT) not in text
    assert str(Path.home()) not in text
