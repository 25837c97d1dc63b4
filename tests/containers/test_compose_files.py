"""Both generations of Compose accept the Compose files."""

import shutil

import pytest
from support.casino.docker import ROOT, require_engine, run
from support.deployment import COMPOSE_FILES, COMPOSE_KEYS, SAMPLES
from support.deployment import compose_services as services
from support.requirements import unavailable

pytestmark = [pytest.mark.docker, pytest.mark.timeout(60)]

PUBLISHED = {
    "lobby": ["${CASINO_BIND:-127.0.0.1}:${CASINO_PORT:-4000}:4000"],
    "gateway": ["${CASINO_GATEWAY_BIND:-127.0.0.1}:${CASINO_GATEWAY_PORT:-4050}:4050"],
    "evaluator": ["${CASINO_EVALUATOR_BIND:-127.0.0.1}:${CASINO_EVALUATOR_PORT:-4060}:4060"],
    "match": ["${CASINO_MATCH_BIND:-127.0.0.1}:${CASINO_MATCH_PORT:-4070}:4070"],
}


@pytest.fixture(scope="module")
def compose_v1() -> str:
    """Find Compose v1, as Debian 12 has it; without it tests are skipped, in CI they fail.

    The command of the same name may be v2 in disguise.
    """
    command = shutil.which("docker-compose")
    version = run(command, "version").stdout if command else ""
    if not command or "version 1." not in version:
        unavailable("Compose v1 is not installed (Debian 12's package docker-compose)")
    return command


@pytest.fixture(scope="module")
def compose_v2() -> tuple[str, ...]:
    """Find Compose v2."""
    require_engine()
    return ("docker", "compose")


def faults(*command: str) -> str:
    """Return the messages of Compose about the files, each merged with those before it."""
    outputs = []
    merged = [COMPOSE_FILES[:count] for count in range(1, len(COMPOSE_FILES) + 1)]
    for names in (*merged, ("deploy/monitoring/docker-compose.yml",)):
        files = [word for name in names for word in ("--file", str(ROOT / name))]
        ran = run(*command, *files, "config", "--quiet")
        outputs.append(ran.stdout + ran.stderr if ran.returncode else ran.stderr)
    return "".join(outputs)


def test_compose_v1_accepts_the_files(compose_v1: str) -> None:
    """Without a message."""
    assert faults(compose_v1) == ""


def test_compose_v2_accepts_the_files(compose_v2: tuple[str, ...]) -> None:
    """Without a message."""
    assert faults(*compose_v2) == ""


def test_each_service_has_its_own_keys_alone() -> None:
    """Read-only files, no variables; the service that makes them all has no network."""
    of_keys = {
        service: {volume for volume in definition.get("volumes", ()) if volume.startswith("key-")}
        for service, definition in services().items()
    }
    everything = set().union(*COMPOSE_KEYS.values())
    assert {service: volumes for service, volumes in of_keys.items() if volumes} == {
        "keys": {f"key-{key}:/run/keys/{key}" for key in everything},
        **{
            service: {f"key-{key}:/run/keys/{key}:ro" for key in keys}
            for service, keys in COMPOSE_KEYS.items()
        },
    }
    assert services()["keys"]["network_mode"] == "none"
    for service, definition in services().items():
        for variable, value in definition.get("environment", {}).items():
            if service != "keys" and ("TOKEN" in variable or "KEY" in variable):
                key = value.removeprefix("/run/keys/").removesuffix("/key")
                assert (variable[-5:], key in COMPOSE_KEYS[service]) == ("_FILE", True)


def test_players_and_bots_share_a_network_with_services_of_theirs_only() -> None:
    """No service is in Compose's default network."""
    networks = {
        service: set(definition.get("networks", ()))
        for service, definition in services().items()
        if service != "keys"
    }
    inside = {service for service, names in networks.items() if "inside" in names}
    assert inside == COMPOSE_KEYS.keys() - {
        "match",
        *SAMPLES,
    }  # which players call, and match calls
    assert networks.pop("dealer") == {"inside"}
    assert {name for names in networks.values() for name in names} == {"inside", "players"}
    assert all("players" in names for names in networks.values())


def test_the_host_is_hidden_and_only_what_clients_call_is_published() -> None:
    """On loopback, until an operator changes it."""
    for service, definition in services().items():
        assert "extra_hosts" not in definition
        assert definition.get("ports", []) == PUBLISHED.get(service, [])
