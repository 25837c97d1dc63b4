"""The script that makes the casino's keys, run as in its container."""

import base64
import os
import stat
import subprocess
import sys
from pathlib import Path

from casino_agentkit.process.secret_keys import service_key
from support.casino.docker import ENVIRONMENT, ROOT
from support.processes import PATIENCE_S

NAMES = (
    "operator=CASINO_LOBBY_OPERATOR_TOKEN",
    "fleet=CASINO_LOBBY_FLEET_KEY",
    "gateway:operator",
)


def start(directory: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", ROOT / "containers" / "keys.py", directory, *NAMES],
        env={**ENVIRONMENT, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(directory: Path, **environment: str) -> str:
    """Run the script, which must succeed; returns what it prints."""
    with start(directory, **environment) as process:
        output, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaint
    assert not complaint
    return output


def keys(directory: Path) -> dict[str, str]:
    return {file.parent.name: file.read_text().strip() for file in directory.glob("*/*")}


def test_keys_are_of_256_random_bits_and_of_their_owner_alone(tmp_path: Path) -> None:
    """With any mode of its directory and any umask; one of a service is derived."""
    (tmp_path / "operator").mkdir(mode=0o777)
    before = os.umask(0)
    try:
        output = run(tmp_path)
    finally:
        os.umask(before)
    made = keys(tmp_path)
    assert set(made) == {"operator", "fleet", "gateway"}
    assert made["gateway"] == service_key(made["operator"], "gateway")
    for name, key in made.items():
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / name / "key").stat().st_mode) == 0o400
        assert len(base64.urlsafe_b64decode(key.removeprefix("gateway.") + "=")) == 32
        assert key not in output
    run(tmp_path)
    assert keys(tmp_path) == made, "made once, and kept at every later start"


def test_runs_at_the_same_time_agree(tmp_path: Path) -> None:
    """All read the one key that was made."""
    running = [start(tmp_path) for _ in range(4)]
    output = [process.communicate(timeout=PATIENCE_S)[0].splitlines() for process in running]
    assert [process.returncode for process in running] == [0] * 4
    for name in ("operator", "fleet"):
        said = [line for lines in output for line in lines if line.startswith(name)]
        assert sorted(said) == [f"{name} key: kept"] * 3 + [f"{name} key: made"]
    assert set(keys(tmp_path)) == {"operator", "fleet", "gateway"}


def test_the_operator_s_own_value_is_the_key(tmp_path: Path) -> None:
    """It replaces the made one, and stays without the variable; derived keys follow it."""
    run(tmp_path)
    made = keys(tmp_path)
    mine = "the operator's own"
    for environment in ({"CASINO_LOBBY_OPERATOR_TOKEN": mine}, {}):
        output = run(tmp_path, **environment)
        derived = service_key(mine, "gateway")
        assert keys(tmp_path) == {**made, "operator": mine, "gateway": derived}
        assert stat.S_IMODE((tmp_path / "operator/key").stat().st_mode) == 0o400
        assert mine not in output


def test_a_directory_that_is_missing_is_named(tmp_path: Path) -> None:
    """In one line."""
    with start(tmp_path / "nowhere") as process:
        _output, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert "nowhere" in complaint
    assert len(complaint.splitlines()) == 1
