"""`__all__` of every package is sorted and complete, and names what exists."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = (ROOT / "console", *(ROOT / "services").iterdir(), *(ROOT / "shared").iterdir())


def packages() -> Iterator[str]:
    """Return the names of all packages whose `__init__.py` has an `__all__`."""
    for source in SOURCES:
        for path in source.rglob("__init__.py"):
            if "\n__all__ = " in path.read_text():
                yield ".".join(path.parent.relative_to(source).parts)


def order(name: str) -> tuple[int, str]:
    """Return the place of a name: constants, then classes, then the rest, as ruff sorts them."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, name


def is_sorted(names: list[str]) -> bool:
    """Tell whether names are in ruff's order, or plainly sorted by the package itself."""
    return names in (sorted(names, key=order), sorted(names))


def bound(package: ModuleType) -> set[str]:
    """Return the public names that a package binds.

    Modules are none, nor is what a game's package takes from the package above it, which exports
    it itself.
    """
    return {
        name
        for name, value in vars(package).items()
        if not name.startswith("_")
        and not isinstance(value, ModuleType)
        and not is_from_above(value, package.__name__)
    }


def is_from_above(value: object, package: str) -> bool:
    """Tell whether a value is defined in the package above, but not in this one."""
    above, _, _ = package.rpartition(".")
    module = f"{getattr(value, '__module__', '')}."
    return bool(above) and module.startswith(f"{above}.") and not module.startswith(f"{package}.")


def faults(package: ModuleType) -> list[str]:
    """Return what is wrong with the `__all__` of a package."""
    exported: list[str] = package.__all__
    return [
        *(f"{name} is listed twice" for name in exported if exported.count(name) > 1),
        *(f"{name} does not exist" for name in exported if not hasattr(package, name)),
        *(f"{name} is missing" for name in sorted(bound(package) - set(exported))),
        *([] if is_sorted(exported) else ["the names are not sorted"]),
    ]


@pytest.mark.parametrize("name", sorted(packages()))
def test_all_is_sorted_and_complete(name: str) -> None:
    """Every name exists, and no public name of the package is missing."""
    assert faults(import_module(name)) == []


def test_every_distribution_with_exports_is_looked_at() -> None:
    """The packages that others import from are among those that are checked."""
    assert set(packages()) >= {
        "casino_agentkit",
        "casino_contracts",
        "casino_games",
        "casino_games.holdem",
        "casino_gamespec",
        "casino_lobby.store",
    }


@pytest.mark.parametrize(
    ("exported", "fault"),
    [
        (["LIMIT", "Table"], "deal is missing"),
        (["LIMIT", "LIMIT", "Table", "deal"], "LIMIT is listed twice"),
        (["LIMIT", "Player", "Table", "deal"], "Player does not exist"),
        (["LIMIT", "deal", "Table"], "the names are not sorted"),
    ],
)
def test_each_fault_is_noticed(exported: list[str], fault: str) -> None:
    """A package with one fault is refused for that fault."""
    package = ModuleType("package")
    vars(package).update(LIMIT=1, Table=object, deal=len, os=pytest, _private=2)
    vars(package)["__all__"] = ["LIMIT", "Table", "deal"]
    assert faults(package) == []
    vars(package)["__all__"] = exported
    assert fault in faults(package)
