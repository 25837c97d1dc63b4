"""Each service starts in an environment that holds only its own extra.

The environments hold the packages of this one, linked, by the requirements of the built wheel; one
is installed by pip from a package index, which shows that both choose the same packages.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.processes import PATIENCE_S
from support.requirements import unavailable

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
OURS = "a2a-casino"
SERVICES = {
    "lobby": (["-m", "casino_lobby", "--port", "0"], {"treys", "numpy", "typer", "pytest"}),
    "table": (["-m", "casino_table", "--port", "0"], {"typer", "pytest"}),
    "player": (["-m", "casino_player_example", "equity", "--port", "0"], {"typer", "pytest"}),
    "llm": (["-m", "casino_player_example", "llm", "--port", "0"], {"typer", "pytest"}),
    "gateway": (["-m", "casino_gateway", "--port", "0"], {"treys", "numpy", "typer", "pytest"}),
    "evaluator": (["-m", "casino_evaluator", "--port", "0"], {"typer", "pytest"}),
    "match": (["-m", "casino_match", "--port", "0"], {"typer", "pytest", "ray"}),
}

MODEL = os.environ | {"CASINO_PLAYER_LLM_MODEL": "ollama:qwen3"}
"""The environment of a player of a model, which it does not ask before its first seat."""

MATCH = """
import json
import casino_match.executors.agent_session
from casino_match.domain.plan import Plan
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
styles = [{"name": style, "player": "style:" + style} for style in ("equity", "tight")]
plan = Plan.model_validate({"players": styles, "deal": {"seed": "s", "decks": 2}})
print(json.dumps([deck.net for deck in play_block(plan, 0, local_players(plan)).decks]))
"""
"""A program that plays two decks."""


def run(
    *command: str | Path, env: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, env=env
    )


def pip(*arguments: str | Path) -> None:
    """Run pip; without a package index the test is skipped, in CI it fails."""
    done = run(sys.executable, "-m", "pip", *arguments)
    if done.returncode:
        unavailable(f"no package index: {done.stderr[-300:]}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel once."""
    directory = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--wheel-dir", directory, ROOT)
    return next(directory.glob("*.whl"))


def environment(directory: Path) -> tuple[Path, Path]:
    """Make an empty environment; returns its Python and the directory of its packages."""
    run(sys.executable, "-m", "venv", "--without-pip", directory)
    return directory / "bin" / "python", next(directory.glob("lib/python*/site-packages"))


def names(found: Iterable[Distribution]) -> set[str]:
    return {canonicalize_name(one.metadata["Name"]) for one in found}


def required(extra: str, ours: Distribution) -> Mapping[str, Distribution]:
    """Return the packages of this environment that an extra of ours needs, by name."""
    needed: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    left = [(OURS, extra)]
    while left:
        name, wanted = left.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        package = ours if name == OURS else needed[name]
        for line in package.requires or ():
            requirement = Requirement(line)
            if requirement.marker and not requirement.marker.evaluate({"extra": wanted}):
                continue
            found = canonicalize_name(requirement.name)
            if found != OURS:
                needed[found] = distribution(requirement.name)
                assert needed[found].version in requirement.specifier, line
            left += [(found, more) for more in ("", *requirement.extras)]
    return needed


def link(package: Distribution, directory: Path) -> None:
    for file in package.files or ():
        if file.parts[0] != "..":  # else it is a command
            target = directory / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(str(package.locate_file(file)))


def has(python: Path, package: str) -> bool:
    found = f"import importlib.util as u, sys; sys.exit(u.find_spec('{package}') is None)"
    return run(python, "-I", "-c", found).returncode == 0


@pytest.mark.parametrize("extra", SERVICES)
def test_a_service_starts_with_its_own_extra(extra: str, wheel: Path, tmp_path: Path) -> None:
    """It announces itself, and carries nothing of the others."""
    python, packages = environment(tmp_path / "venv")
    pip("--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    (ours,) = distributions(path=[str(packages)])
    for package in required(extra, ours).values():
        link(package, packages)
    command, foreign = SERVICES[extra]
    with subprocess.Popen(
        [str(python), "-I", *command, "--supervised"],
        cwd=tmp_path,
        env=MODEL,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as service:
        assert service.stdout is not None
        assert service.stdin is not None
        ready = json.loads(service.stdout.readline())
        service.stdin.close()
        assert service.wait(PATIENCE_S) == 0
    assert bool(ready["cards"]) == (extra != "gateway")  # whose agents are its seats
    assert not {package for package in foreign if has(python, package)}


def test_a_model_without_its_extra_names_it(wheel: Path, tmp_path: Path) -> None:
    """With the extra of all other sample players."""
    python, packages = environment(tmp_path / "venv")
    pip("--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    (ours,) = distributions(path=[str(packages)])
    for package in required("player", ours).values():
        link(package, packages)
    done = run(python, "-I", "-m", "casino_player_example", "llm", "--port", "0", env=MODEL)
    assert done.returncode == 1
    assert "pip install 'a2a-casino[llm]'" in done.stderr


def test_a_match_is_played_with_its_own_extra(wheel: Path, tmp_path: Path) -> None:
    """Agents can be called too; many machines, columnar files and learners have other extras."""
    python, packages = environment(tmp_path / "venv")
    pip("--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    (ours,) = distributions(path=[str(packages)])
    for package in required("match", ours).values():
        link(package, packages)
    output = run(python, "-I", "-c", MATCH)
    assert output.returncode == 0, output.stderr
    nets = json.loads(output.stdout)
    assert [len(net) for net in nets] == [2, 2]
    assert all(sum(net) == 0 for net in nets)
    foreign = {"pettingzoo", "pyarrow", "pytest", "ray", "typer"}
    assert not {package for package in foreign if has(python, package)}


def test_the_console_starts_with_its_own_extra(wheel: Path, tmp_path: Path) -> None:
    """It needs no game and nothing of agents beyond the kit; pip chooses what `required` does."""
    python, packages = environment(tmp_path / "venv")
    constraint = ("--constraint", ROOT / "constraints.txt")
    wanted = f"{OURS}[console] @ {wheel.as_uri()}"
    pip("--python", python, "install", "--quiet", "--no-compile", *constraint, wanted)
    output = run(python.with_name("casino"), "--help")
    assert output.returncode == 0, output.stderr
    assert "up" in output.stdout
    starters = ROOT / "console/casino/starters/templates"
    for language in ("python", "javascript", "go"):  # the wheel has every template
        bot = tmp_path / language
        output = run(python.with_name("casino"), "new-bot", language, bot)
        assert output.returncode == 0, output.stderr
        written = {path.name for path in bot.rglob("*") if path.is_file()}
        own = (starters / language, starters / "common", starters / "common" / "questions")
        assert written == {
            path.name for folder in own for path in folder.iterdir() if path.is_file()
        }
    assert not {package for package in ("treys", "numpy", "pytest") if has(python, package)}
    installed = list(distributions(path=[str(packages)]))
    (ours,) = [one for one in installed if names([one]) == {OURS}]
    assert names(installed) == {OURS, *required("console", ours)}
    (plugin,) = ours.entry_points.select(group="pytest11")
    assert plugin.value == "casino.testing.plugin"
