"""The games are pure: no clock, no loop, no socket, no file, no randomness of their own."""

import ast
import subprocess
import sys
from pathlib import Path

import casino_games
import pytest

ROOT = Path(casino_games.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
STANDARD_LIBRARY = {
    "abc",
    "collections",
    "dataclasses",
    "enum",
    "hmac",
    "importlib",
    "inspect",
    "itertools",
    "json",
    "math",
    "random",
    "re",
    "typing",
}
"""What the rules need; a new name here is a decision."""
WITH_NUMPY = {ROOT / "holdem" / f"{name}.py" for name in ("batch_ranking", "odds", "runouts")}
IMPURE_NAMES = {"open", "print", "input", "eval", "exec", "__import__", "globals", "breakpoint"}


def imported(module: Path) -> set[str]:
    """Return the top-level packages that a module imports, our own left out."""
    packages: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            packages |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            packages.add(node.module.split(".")[0])
    return packages - {"casino_games"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_nothing_but_rules(module: Path) -> None:
    """A clock, a socket or the global random state would make a hand unrepeatable."""
    allowed = STANDARD_LIBRARY | {"pydantic", "treys"}
    if module in WITH_NUMPY:
        allowed |= {"numpy"}
    assert imported(module) <= allowed


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_touches_nothing_outside(module: Path) -> None:
    """No files, no terminal, no code from text, nothing asynchronous."""
    tree = ast.parse(module.read_text())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & IMPURE_NAMES
    waits = (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global)
    assert not [node for node in ast.walk(tree) if isinstance(node, waits)]


def calls_of(name: str) -> list[ast.Call]:
    """Return every call of a name, in all modules."""
    return [
        node
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


def test_the_global_random_state_is_not_used() -> None:
    """A generator is passed in or begins with a seed: of `random` only its class is imported."""
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.Import):
                assert "random" not in {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module == "random":
                assert [alias.name for alias in node.names] == ["Random"]
    assert calls_of("Random")
    assert all(len(call.args) == 1 for call in calls_of("Random"))


def test_only_the_registry_imports_by_name() -> None:
    """It is the one edge: what is installed, and modules that are named in text."""
    assert [module.name for module in MODULES if "importlib" in imported(module)] == ["registry.py"]


def test_numpys_own_random_state_is_not_used() -> None:
    """Sampling takes the generator it is given."""
    for module in WITH_NUMPY:
        text = module.read_text()
        assert text.count("np.random.") == text.count("np.random.Generator")


@pytest.mark.full
def test_a_table_plays_without_numpy() -> None:
    """Only odds and batch ranking need it, and the engine imports neither."""
    code = """
import sys
sys.modules["numpy"] = None
from casino_games import ArenaConfig, ArenaPlayer, create_game
game = create_game("texas-holdem", ArenaConfig((ArenaPlayer("a"), ArenaPlayer("b")), "seed"))
game.reset()
while not game.is_over():
    game.step({"action_type": game.get_available_actions()[-1]["action_type"]})
"""
    subprocess.run([sys.executable, "-c", code], check=True)
