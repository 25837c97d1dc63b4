"""The stack of Swarm: what Docker accepts, settings, secrets, times, routing."""

import re
import shutil
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from casino_agentkit import InvalidSettings, ServiceSettings
from casino_lobby.settings import LobbySettings
from casino_table.delivery.announcer import GOODBYE_LIMIT
from casino_table.running_table import FLUSH_LIMIT
from casino_table.settings import TableSettings
from support.casino.docker import ROOT, USER, run
from support.deployment import (
    FILES,
    SPARE,
    SWARM,
    environment,
    interpolated,
    loaded,
    seconds,
    services,
    settings_of_image,
    stack,
)
from support.requirements import unavailable

OURS = sorted(name for name, service in services().items() if "a2a-casino/" in service["image"])
TASK = ("{{.Task.Slot}}", "{{.Task.ID}}")
"""What Docker replaces in a host name, for each task by something else."""
FIRST_WITH_CONFIG = 23
"""The first release of Docker's client that reads a stack without an engine."""


def settings_of(service: str, folder: Path) -> ServiceSettings:
    settings = settings_of_image(interpolated(services()[service]["image"]))
    assert settings is not None
    return loaded(settings, without_others(service), folder)


def without_others(service: str) -> dict[str, str]:
    return {name: value for name, value in environment(service).items() if "CASINO_" in name}


def lobby_settings(folder: Path) -> LobbySettings:
    settings = settings_of("lobby", folder)
    assert isinstance(settings, LobbySettings)
    return settings


def table_settings(folder: Path) -> TableSettings:
    settings = settings_of("table", folder)
    assert isinstance(settings, TableSettings)
    return settings


@pytest.mark.parametrize("files", [FILES[:1], FILES[:2], FILES], ids=len)
@pytest.mark.full
def test_docker_accepts_the_files(files: tuple[str, ...]) -> None:
    """Without a message; only the client is needed, no engine."""
    if shutil.which("docker") is None:
        unavailable("Docker's client is not installed")
    version = run("docker", "--version").stdout
    match = re.search(r"version (\d+)\.", version)
    assert match, version
    if int(match[1]) < FIRST_WITH_CONFIG:
        pytest.skip(f"this client has no `docker stack config`: {version}")
    words = [word for name in files for word in ("--compose-file", str(SWARM / name))]
    ran = run("docker", "stack", "config", *words)
    assert (ran.returncode, ran.stderr) == (0, "")
    merged = yaml.safe_load(ran.stdout)["services"]
    assert merged["table"]["hostname"] == services()["table"]["hostname"]


@pytest.mark.parametrize("service", OURS)
def test_the_service_accepts_its_variables(service: str, tmp_path: Path) -> None:
    """Each is a setting with a valid value; a service refuses to start with any other."""
    settings = settings_of(service, tmp_path)
    wrong = {**without_others(service), f"{settings.prefix}REPLICAS": "2"}
    with pytest.raises(InvalidSettings, match="unknown setting"):
        loaded(type(settings), wrong, tmp_path)


def test_secrets_are_files_of_the_user_of_the_images() -> None:
    """Each service mounts those that its variables name, and no others."""
    for service in OURS:
        mounted = {f"/run/secrets/{secret['target']}" for secret in mounts(service)}
        named = {value for value in environment(service).values() if "/run/secrets/" in value}
        assert mounted == named, service
        for secret in mounts(service):
            assert (secret["uid"], secret["gid"], secret["mode"]) == (str(USER), str(USER), 0o400)
    for name in environment("lobby"):
        assert not name.endswith(("TOKEN", "FLEET_KEY")), name


def mounts(service: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = services()[service].get("secrets", [])
    return found


def test_the_documented_secrets_are_those_that_services_mount() -> None:
    """Made outside of the stack, as docs/scale.md says."""
    mounted = {secret["source"] for service in services() for secret in mounts(service)}
    assert mounted == set(stack()["secrets"])
    page = (ROOT / "docs/scale.md").read_text()
    for name, definition in stack()["secrets"].items():
        assert definition == {"external": True}
        assert f"docker secret create {name} " in page


def test_the_database_gets_its_password_from_files(tmp_path: Path) -> None:
    """The driver reads PGPASSFILE; the URL has none."""
    database = lobby_settings(tmp_path).database_url
    assert database == "postgresql+asyncpg://casino@postgres:5432/casino"
    assert environment("lobby")["PGPASSFILE"] == "/run/secrets/pgpass"
    assert environment("postgres")["POSTGRES_PASSWORD_FILE"] == "/run/secrets/password"


def test_services_have_time_to_end(tmp_path: Path) -> None:
    """Before Docker kills them."""
    lobby = timedelta(seconds=seconds(services()["lobby"]["stop_grace_period"]))
    assert lobby >= lobby_settings(tmp_path).drain_timeout + SPARE
    table = timedelta(seconds=seconds(services()["table"]["stop_grace_period"]))
    needed = table_settings(tmp_path).drain_timeout + FLUSH_LIMIT + GOODBYE_LIMIT
    assert table >= needed + SPARE


def test_every_table_task_has_an_address_of_its_own(tmp_path: Path) -> None:
    """Its host name, which Docker resolves; the service replaces {hostname} by it."""
    hostname = services()["table"]["hostname"]
    assert all(part in hostname for part in TASK)
    url = environment("table")["CASINO_TABLE_PUBLIC_URL"]
    assert url == "http://{hostname}:4500"
    public_url = table_settings(tmp_path).public_url
    assert public_url
    assert "{" not in public_url


def test_tables_and_clients_reach_the_lobby_at_the_front(tmp_path: Path) -> None:
    """The lobby's own URL is the front's; both are in the same networks."""
    url = "http://front:4000"
    assert lobby_settings(tmp_path).public_url == url
    assert table_settings(tmp_path).lobby_url == url
    assert environment("dealer")["CASINO_DEALER_LOBBY_URL"] == url
    for service in ("lobby", "table", "dealer"):
        assert set(services()[service]["networks"]) & set(services()["front"]["networks"])


def test_updates_keep_free_tables_and_a_lobby(tmp_path: Path) -> None:
    """Tables start first, one at a time, and have announced themselves before the next."""
    table, lobby = services()["table"]["deploy"], services()["lobby"]["deploy"]
    assert (table["update_config"]["parallelism"], table["update_config"]["order"]) == (
        1,
        "start-first",
    )
    delay = timedelta(seconds=seconds(table["update_config"]["delay"]))
    assert delay > table_settings(tmp_path).announce_every
    assert lobby["update_config"]["parallelism"] == 1
    assert lobby["replicas"] == 2
    assert lobby["placement"]["max_replicas_per_node"] == 1


def test_the_lobby_accepts_as_many_tables_as_there_are(tmp_path: Path) -> None:
    """And one more task during an update."""
    lobby, count = lobby_settings(tmp_path), table_settings(tmp_path).count
    replicas = int(interpolated(services()["table"]["deploy"]["replicas"]))
    assert count <= lobby.announced_tables_per_origin
    assert (replicas + 1) * count <= lobby.announced_tables


@pytest.mark.parametrize("service", sorted(services()))
def test_no_service_needs_the_load_balancer(service: str) -> None:
    """Every name resolves to tasks, and limits of memory protect the node."""
    deploy = services()[service]["deploy"]
    assert deploy["endpoint_mode"] == "dnsrr"
    assert "memory" in deploy["resources"]["limits"]
    assert deploy["restart_policy"]["condition"] == "any"
    for port in services()[service].get("ports", ()):
        assert port["mode"] == "host"


@pytest.mark.parametrize("service", sorted({*OURS, "front"}))
def test_the_containers_have_no_rights(service: str) -> None:
    """As in Compose."""
    definition = services()[service]
    assert definition["read_only"] is True
    assert definition["cap_drop"] == ["ALL"]


class Answering(socketserver.StreamRequestHandler):
    """Answers 200 to /healthz and 503 to everything else: a lobby that stands by."""

    def handle(self) -> None:
        """Answer one request."""
        status = b"200 OK" if self.rfile.readline().split()[1] == b"/healthz" else b"503 Standby"
        self.wfile.write(b"HTTP/1.1 %b\r\n\r\n" % status)


@contextmanager
def answering() -> Iterator[int]:
    """Yield the port of a server that is healthy and not ready."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def passes(check: str) -> bool:
    """Return whether a check passes, run as by `python -c`."""
    names: dict[str, Any] = {}
    try:
        exec(check, names)
    except OSError:
        return False
    except SystemExit as ended:
        return not ended.code
    finally:
        for value in names.values():
            if isinstance(value, socket.socket):
                value.close()
    return True


@pytest.mark.parametrize(("service", "port"), [("lobby", 4000), ("table", 4500), ("dealer", 4200)])
def test_a_service_that_is_not_ready_is_healthy(service: str, port: int) -> None:
    """Swarm replaces what is unhealthy: so the check asks /healthz, and fails where nobody is."""
    check = services()[service]["healthcheck"]["test"][-1]
    assert check.count(str(port)) == 1
    with answering() as free:
        check = check.replace(str(port), str(free))
        assert passes(check)
        assert not passes(check.replace("/healthz", "/readyz"))
    assert not passes(check)
