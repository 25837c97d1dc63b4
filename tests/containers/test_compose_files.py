"""The Compose files, as both generations of Compose read them."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.casino.containers import ROOT, require_engine, run, unavailable

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


def services() -> dict[str, dict[str, Any]]:
    """Return what each service is started with, by both files together."""
    merged: dict[str, dict[str, Any]] = {}
    for file in FILES:
        for service, told in yaml.safe_load((ROOT / file).read_text())["services"].items():
            known = merged.setdefault(service, {})
            for name, value in told.items():
                match value:
                    case dict():
                        known[name] = {**known.get(name, {}), **value}
                    case list():
                        known[name] = [*known.get(name, []), *value]
                    case _:
                        known[name] = value
    return merged


def test_only_lobby_table_and_dealer_have_the_keys() -> None:
    """To read, and as files: no value is in a variable. Who makes them has no network."""
    of_keys = {
        service: {volume for volume in told.get("volumes", ()) if volume.startswith("keys:")}
        for service, told in services().items()
    }
    assert {service: volumes for service, volumes in of_keys.items() if volumes} == {
        "keys": {"keys:/run/keys"},
        **{reader: {"keys:/run/keys:ro"} for reader in ("lobby", "table", "dealer")},
    }
    assert services()["keys"]["network_mode"] == "none"
    for service, told in services().items():
        for variable, value in told.get("environment", {}).items():
            if service != "keys" and ("TOKEN" in variable or "KEY" in variable):
                assert (variable[-5:], value[:10]) == ("_FILE", "/run/keys/")


def test_players_and_strangers_share_a_network_with_lobby_and_table_only() -> None:
    """The dealer is not in it; nobody is in the network that Compose makes by itself."""
    networks = {
        service: set(told.get("networks", ()))
        for service, told in services().items()
        if service != "keys"
    }
    inside = {service for service, names in networks.items() if "inside" in names}
    assert inside == {"lobby", "table", "dealer"}
    assert networks.pop("dealer") == {"inside"}
    assert {name for names in networks.values() for name in names} == {"inside", "players"}
    assert all("players" in names for names in networks.values())


def test_nobody_finds_the_host_and_only_the_lobby_is_published_on_loopback() -> None:
    """Until an operator switches that on."""
    for service, told in services().items():
        assert "extra_hosts" not in told
        assert told.get("ports", []) == (
            ["${CASINO_BIND:-127.0.0.1}:${CASINO_PORT:-4000}:4000"] if service == "lobby" else []
        )


@pytest.mark.parametrize("name", FILES)
def test_the_files_name_no_place_but_public_ones(name: str) -> None:
    """Neither a path of this machine nor a registry's host."""
    text = (ROOT / name).read_text()
    assert str(ROOT) not in text
    assert str(Path.home()) not in text
