"""Checks what packages export, raise and read: `python tools/packages.py`.

`__all__` is sorted and complete, lazy exports agree with the stub, errors inherit as `errors.py`
draws them, settings say what they are for, and the kit lists the private parts that it uses. Exit
code 1 and a line for each fault.
"""

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from casino_agentkit.private_parts import PRIVATE_PARTS, TESTED
from configuration import SERVICES

ROOT = Path(__file__).parents[1]
ERRORS = {
    "casino": "ConsoleError",
    "casino_agentkit": "KitError",
    "casino_evaluator": "EvaluatorError",
    "casino_games": "GameError",
    "casino_gamespec": "GameSpecError",
    "casino_gateway": "GatewayError",
    "casino_histories": "HistoryError",
    "casino_lobby": "LobbyError",
    "casino_lobby_client": "CallFailed",
    "casino_match": "MatchError",
    "casino_play": "PlayError",
    "casino_player_example": "PlayerError",
    "casino_seats": "ActionRefused",
    "casino_table": "TableError",
}
"""Each package with the root of its exceptions."""
OF_KIT = {"casino_lobby": ("CommandRefused", "NotAdmitted")}
"""An error of another package that a drawing has, and one that inherits from it."""
PUBLIC_PARTS = {
    *("a2a.auth.user", "a2a.client", "a2a.client.client", "a2a.client.errors", "a2a.types"),
    *("a2a.server.agent_execution", "a2a.server.context", "a2a.server.events"),
    *("a2a.server.request_handlers", "a2a.server.routes", "a2a.server.tasks", "a2a.utils.errors"),
    *("a2a.server.tasks.push_notification_config_store", "a2a.utils", "aiohttp.abc"),
    "uvicorn.config",
}
"""Modules of other packages that their documentation names."""
LAZY = ("casino_agentkit", "casino_contracts")
_EFFECTS = """
import os, sys
environment = dict(os.environ)
import {0}
if any(module.startswith("{0}.") for module in sys.modules):
    print("importing the package imports modules of it")
for name in {0}.__all__:
    getattr({0}, name)
if os.environ != environment or None in sys.modules.values():
    print("importing it changes the environment, or what others can import")
"""
"""A program that prints what an import of the package does beyond it."""
_BRANCH = re.compile(r"((?:│   |    )*)(├── |└── |)([A-Z]\w+)(?:\(\w+\))?(?:  +\S.*)?")
"""Indent, branch and name of an exception, before its base or its meaning."""


def exporting() -> Iterator[str]:
    """Yield the packages whose `__init__.py` has an `__all__`."""
    for source in (ROOT / "console", *ROOT.glob("services/*"), *ROOT.glob("shared/*")):
        for path in sorted(source.rglob("__init__.py")):
            if "\n__all__ = " in path.read_text():
                yield ".".join(path.parent.relative_to(source).parts)


def of_exports(package: ModuleType) -> Iterator[str]:
    """Yield what is wrong with the `__all__` of a package; it is sorted plainly or as ruff does."""
    names: list[str] = package.__all__
    yield from (f"{name} is listed twice" for name in {*names} if names.count(name) > 1)
    yield from (f"{name} does not exist" for name in names if not hasattr(package, name))
    yield from (f"{name} is missing" for name in sorted(_public(package) - {*names}))
    if names not in (sorted(names), sorted(names, key=_order)):
        yield "the names are not sorted"


def _order(name: str) -> tuple[int, str]:
    """Return constants, then classes, then the rest."""
    return 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name


def _public(package: ModuleType) -> set[str]:
    """Return the public names of a package but modules, and but what the package above exports."""
    return {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
        if not _is_from_above(getattr(value, "__module__", ""), package.__name__)
    }


def _is_from_above(module: str, package: str) -> bool:
    above = package.rpartition(".")[0]
    inside, outside = (f"{module}.".startswith(f"{name}.") for name in (package, above))
    return bool(above) and outside and not inside


def of_lazy_exports(name: str) -> Iterator[str]:
    """Yield what is wrong with a package whose stub says where its exports are."""
    package = import_module(name)
    stub = ast.parse(Path(str(package.__file__)).with_suffix(".pyi").read_text())
    (listed,) = [node.value for node in stub.body if isinstance(node, ast.Assign)]
    if sorted(ast.literal_eval(listed)) != package.__all__:
        yield "__all__ of __init__.pyi has other names than are imported there"
    program = _EFFECTS.format(name)
    effects = subprocess.check_output([sys.executable, "-c", program], text=True)  # noqa: S603
    yield from effects.splitlines()


def drawn(text: str) -> dict[str, str | None]:
    """Return each exception of a drawing with its parent."""
    parents: dict[str, str | None] = {}
    path: list[str] = []
    for line in text.splitlines():
        if match := _BRANCH.fullmatch(line):
            indent, branch, name = match.groups()
            depth = len(indent + branch) // 4
            path[depth:] = [name]
            parents[name] = path[depth - 1] if depth else None
    return parents


def of_errors(package: str, root: str) -> Iterator[str]:
    """Yield differences between the public exceptions of a package and their drawing."""
    kinds = list(_exceptions(package))
    drawing = drawn(import_module(f"{package}.errors").__doc__ or "")
    above, beside = OF_KIT.get(package, ("", ""))
    tree = {name: parent for name, parent in drawing.items() if name != above}
    defined = {kind.__name__: kind.__bases__[0].__name__ for kind in kinds}
    for name, base in (defined | {root: None}).items():
        if tree.pop(name, "nowhere") != base:
            yield f"{name} is not drawn below {base}"
    yield from (f"{name} is drawn, and does not exist" for name in tree)
    for kind in kinds:
        if root not in (base.__name__ for base in kind.__mro__) and kind.__name__ != beside:
            yield f"{kind.__name__} is no {root}"


def _exceptions(package: str) -> Iterator[type[BaseException]]:
    """Yield the public exceptions that a package defines."""
    home = import_module(package)
    modules = pkgutil.walk_packages(home.__path__, f"{package}.")
    for name in (package, *(module.name for module in modules)):
        if not name.endswith("__main__") and ".migrations." not in name:  # scripts
            for _, kind in inspect.getmembers(import_module(name), inspect.isclass):
                if kind.__module__ == name and issubclass(kind, BaseException):
                    yield from [] if kind.__name__.startswith("_") else [kind]


def of_private_parts() -> Iterator[str]:
    """Yield differences between the private parts that the kit lists and what it imports."""
    modules: set[str] = set()
    names: set[str] = set()
    for path in (ROOT / "shared/agentkit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module)
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    packages = {f"{name.partition('-')[0]}." for name in TESTED}
    listed = PRIVATE_PARTS.keys()
    for module in modules - PUBLIC_PARTS - listed:
        if module.startswith(tuple(packages)):
            yield f"{module} is private, and not listed"
    yield from (f"{name} is listed, and not imported" for name in listed - modules - names)
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    for name, version in TESTED.items():
        if not any(pin.startswith(f"{name}=={version}.") for pin in pins):
            yield f"constraints.txt has another version of {name} than {version}"


def of_settings() -> Iterator[str]:
    """Yield settings without a sentence, or without a default that works."""
    for settings in SERVICES.values():
        for name, field in settings.model_fields.items():
            if field.is_required() or not (field.description or "").endswith("."):
                yield f"{settings.__name__}.{name} needs a default and a sentence"


def main() -> int:
    """Check all packages."""
    faults = [
        f"{name}: {fault}" for name in exporting() for fault in of_exports(import_module(name))
    ]
    faults += [f"{name}: {fault}" for name in LAZY for fault in of_lazy_exports(name)]
    faults += [
        f"{name}.errors: {f}" for name, root in ERRORS.items() for f in of_errors(name, root)
    ]
    faults += [f"casino_agentkit.private_parts: {fault}" for fault in of_private_parts()]
    faults += of_settings()
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
