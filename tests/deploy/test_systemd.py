"""The units of systemd: accepted by systemd, closed towards the machine, and their commands run."""

import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from casino_agentkit.process.secret_keys import service_key
from support.casino.docker import ROOT, run
from support.casino.members import ENVIRONMENT
from support.deployment import BY_IMAGE, KEY
from support.processes import PATIENCE_S, reserved_port, wait_for
from support.requirements import unavailable

UNITS = ROOT / "deploy" / "systemd"
TEMPLATE = "casino@.service"
PYTHON = "/opt/casino/bin/python"
SERVICES = ("lobby", "table", "gateway", "evaluator", "match")
MOST_EXPOSED = 2.0
"""Of ten, by systemd's own measure."""


def directives(service: str) -> list[tuple[str, str]]:
    """Return what the unit of a service says: the template and its own file."""
    own = UNITS / f"casino@{service}.service.d" / "keys.conf"
    files = [UNITS / TEMPLATE, *([own] if own.exists() else [])]
    lines = [line for file in files for line in file.read_text().splitlines() if "=" in line]
    pairs = [line.partition("=") for line in lines if not line.startswith("#")]
    return [(name, value.replace("%i", service)) for name, _, value in pairs]


def values(service: str, name: str) -> list[str]:
    return [value for said, value in directives(service) if said == name]


def environment(service: str, credentials: Path, state: Path) -> dict[str, str]:
    """Return the variables of a unit with systemd's specifiers replaced."""
    variables = [value.partition("=") for value in values(service, "Environment")]
    return {
        name: value.replace("%d", str(credentials)).replace("%S", str(state))
        for name, _, value in variables
    }


@pytest.mark.parametrize("service", SERVICES)
def test_every_variable_is_a_setting_and_every_key_is_handed_over(service: str) -> None:
    """A key reaches the process as a credential of the very name that its variable has."""
    settings = BY_IMAGE[service]
    handed = {value.partition(":")[0] for value in values(service, "LoadCredential")}
    for variable, value in environment(service, Path("%d"), Path("%S")).items():
        field = variable.removeprefix(settings.prefix).lower()
        assert field.removesuffix("_file") in settings.model_fields
        if field.endswith("_file"):
            assert value.removeprefix("%d/") in handed
            assert settings.is_secret(field.removesuffix("_file"))


def test_a_running_hand_is_finished_before_the_process_is_killed() -> None:
    (stop,) = values("lobby", "TimeoutStopSec")
    for service in ("lobby", "table"):
        limit = BY_IMAGE[service].model_fields["drain_timeout"].default
        assert int(stop.removesuffix("s")) > limit.total_seconds()
    assert values("lobby", "KillMode") == ["mixed"]


def analyze(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run systemd's own check on the units, with a Python that is there."""
    command = shutil.which("systemd-analyze")
    if command is None:
        unavailable("systemd-analyze is not installed (Debian's package systemd)")
    copied = Path(shutil.copytree(UNITS, folder / "units"))
    template = copied / TEMPLATE
    template.write_text(template.read_text().replace(PYTHON, sys.executable))
    return run(command, *arguments, environment={"SYSTEMD_UNIT_PATH": f"{copied}:"}, cwd=copied)


@pytest.mark.full
@pytest.mark.parametrize("service", SERVICES)
def test_systemd_accepts_the_unit(service: str, tmp_path: Path) -> None:
    """Without a message: one about an unknown directive is no failure for systemd."""
    checked = analyze(tmp_path, "verify", "--man=no", f"casino@{service}.service")
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


@pytest.mark.full
def test_the_unit_is_closed_towards_the_machine(tmp_path: Path) -> None:
    limit = f"--threshold={int(10 * MOST_EXPOSED)}"
    checked = analyze(tmp_path, "security", "--offline=yes", limit, "casino@lobby.service")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.full
@pytest.mark.parametrize("service", SERVICES)
def test_the_command_of_the_unit_serves_and_ends(service: str, tmp_path: Path) -> None:
    """With the keys of its credentials, and its data where the unit has its state."""
    state = tmp_path / f"casino-{service}"
    state.mkdir()
    for name in ("operator", "fleet"):
        is_derived = name == "operator" and service != "lobby"
        key = service_key(KEY, service) if is_derived else KEY
        (tmp_path / name).write_text(key)
        (tmp_path / name).chmod(0o400)
    port = reserved_port()
    (command,) = values(service, "ExecStart")
    module, *arguments = shlex.split(command.removeprefix(PYTHON))
    process = subprocess.Popen(
        [sys.executable, module, *arguments],
        env={
            **ENVIRONMENT,
            **environment(service, tmp_path, tmp_path),
            f"CASINO_{service.upper()}_PORT": str(port),
        },
        cwd=state,
        stderr=subprocess.PIPE,
    )
    try:
        wait_for(lambda: answers(port) or process.poll() is not None)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    assert process.returncode in (0, -signal.SIGTERM), log.decode()
    assert any(state.iterdir()), "its data are elsewhere"


def answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False).is_success
    except httpx.TransportError:
        return False
