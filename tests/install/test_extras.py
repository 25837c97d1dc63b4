"""Each service starts in an environment that holds only its own extra."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.requirements import unavailable

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
SERVICES = {
    "lobby": (["-m", "casino_lobby", "--port", "0"], {"treys", "numpy", "typer", "pytest"}),
    "table": (["-m", "casino_table", "--port", "0"], {"typer", "pytest"}),
    "player": (["-m", "casino_player_example", "equity", "--port", "0"], {"typer", "pytest"}),
    "gateway": (["-m", "casino_gateway", "--port", "0"], {"treys", "numpy", "typer", "pytest"}),
    "evaluator": (["-m", "casino_evaluator", "--port", "0"], {"typer", "pytest"}),
}


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel once; without a package index the tests are skipped, in CI they fail."""
    directory = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", directory, ROOT)
    if built.returncode:
        unavailable(f"no package index: {built.stderr[-300:]}")
    return next(directory.glob("*.whl"))


def environment_with(extra: str, wheel: Path, directory: Path) -> Path:
    """Install one extra into an empty environment; returns its Python."""
    run(sys.executable, "-m", "venv", "--without-pip", directory)
    python = directory / "bin" / "python"
    installed = run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--constraint",
        ROOT / "constraints.txt",
        f"a2a-casino[{extra}] @ {wheel.as_uri()}",
    )
    if installed.returncode:
        unavailable(f"no package index: {installed.stderr[-300:]}")
    return python


def has(python: Path, package: str) -> bool:
    """Tell whether a package can be imported."""
    found = f"import importlib.util as u, sys; sys.exit(u.find_spec('{package}') is None)"
    return run(python, "-c", found).returncode == 0


@pytest.mark.parametrize("extra", SERVICES)
def test_a_service_starts_with_its_own_extra(extra: str, wheel: Path, tmp_path: Path) -> None:
    """It announces itself, and carries nothing of the others."""
    python = environment_with(extra, wheel, tmp_path / "venv")
    command, foreign = SERVICES[extra]
    with subprocess.Popen(
        [str(python), *command, "--supervised"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as service:
        assert service.stdout is not None
        assert service.stdin is not None
        ready = json.loads(service.stdout.readline())
        service.stdin.close()
        assert service.wait(30) == 0
    assert bool(ready["cards"]) == (extra != "gateway")  # whose agents are its seats
    assert not {package for package in foreign if has(python, package)}


def test_the_console_starts_with_its_own_extra(wheel: Path, tmp_path: Path) -> None:
    """It needs no game and no agent's libraries beyond the kit's."""
    python = environment_with("console", wheel, tmp_path / "venv")
    output = run(python.with_name("casino"), "--help")
    assert output.returncode == 0, output.stderr
    assert "up" in output.stdout
    assert not {package for package in ("treys", "numpy", "pytest") if has(python, package)}
