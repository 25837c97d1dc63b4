"""Each package draws its exceptions in `errors.py`: all of them, as they inherit."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import pytest

PACKAGES = {
    "casino": "ConsoleError",
    "casino_agentkit": "KitError",
    "casino_evaluator": "EvaluatorError",
    "casino_games": "GameError",
    "casino_gamespec": "GameSpecError",
    "casino_gateway": "GatewayError",
    "casino_histories": "HistoryError",
    "casino_lobby": "LobbyError",
    "casino_match": "MatchError",
    "casino_play": "PlayError",
    "casino_player_example": "PlayerError",
    "casino_seats": "SeatError",
    "casino_table": "TableError",
}
"""Each package with the root of its exceptions."""


LINE = re.compile(r"((?:│   |    )*)(├── |└── |)([A-Z]\w+)(?:\(\w+\)|  +\S.*)")
"""Indent, branch and name of an exception, before its base or its meaning."""


def exceptions(package: str) -> Iterator[type[BaseException]]:
    """Yield the public exceptions that a package defines."""
    home = importlib.import_module(package)
    modules = pkgutil.walk_packages(home.__path__, f"{package}.")
    for name in (package, *(module.name for module in modules)):
        if name.endswith("__main__") or ".migrations." in name:  # scripts
            continue
        for _, kind in inspect.getmembers(importlib.import_module(name), inspect.isclass):
            is_own = kind.__module__ == name and not kind.__name__.startswith("_")
            if is_own and issubclass(kind, BaseException):
                yield kind


def drawn(text: str) -> dict[str, str | None]:
    """Return each exception of a drawing with its parent."""
    parents: dict[str, str | None] = {}
    path: list[str] = []
    for line in text.splitlines():
        found = re.fullmatch(
            r"((?:│   |    )*)(├── |└── |)([A-Z]\w+)(?:\(\w+\))?(?:  +\S.*)?", line
        )
        if found is None:
            continue
        indent, branch, name = found.groups()
        depth = len(indent + branch) // 4
        path[depth:] = [name]
        parents[name] = path[depth - 1] if depth else None
    return parents


@pytest.mark.parametrize("package", PACKAGES)
def test_the_drawing_is_the_tree(package: str) -> None:
    """With each parent, and in `errors.py` unless a layer needs it elsewhere."""
    defined = {kind.__name__: kind.__bases__[0] for kind in exceptions(package)}
    drawing = drawn(importlib.import_module(f"{package}.errors").__doc__ or "")
    tree = {name: parent for name, parent in drawing.items() if name in defined}
    root = PACKAGES[package]
    assert tree.pop(root) is None
    assert tree == {name: base.__name__ for name, base in defined.items() if name != root}
    assert {*drawing} - {*defined} == ({"CommandRefused"} if package == "casino_lobby" else set())


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_one_root(package: str) -> None:
    """Which says that it is an error; the others have the words of the field."""
    root = getattr(importlib.import_module(f"{package}.errors"), PACKAGES[package])
    others = {kind.__name__ for kind in exceptions(package) if not issubclass(kind, root)}
    assert others == ({"NotAdmitted"} if package == "casino_lobby" else set())


def test_a_drawing_is_read() -> None:
    """Text around it is none of it."""
    text = """Exceptions of it.

```
Root                 of all
├── Left             a branch
│   └── Leaf         of it
└── Right            another
```

Words of Prose.
"""
    assert drawn(text) == {"Root": None, "Left": "Root", "Leaf": "Left", "Right": "Root"}
