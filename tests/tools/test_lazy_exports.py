"""What a package exports lazily: the same names for programs and for type checkers."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

PACKAGES = ("casino_agentkit", "casino_contracts")


@pytest.mark.parametrize("name", PACKAGES)
def test_type_checkers_see_what_programs_get(name: str) -> None:
    """`__init__.pyi` imports each name from the module in which `__init__.py` finds it."""
    package = import_module(name)
    assert package.__file__ is not None
    stub = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text())
    stated = {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    exported = {export: f"{name}.{module}" for export, module in package._MODULES.items()}
    assert exported == stated
    (listed,) = [node.value for node in stub.body if isinstance(node, ast.Assign)]
    assert sorted(ast.literal_eval(listed)) == package.__all__


@pytest.mark.parametrize("name", PACKAGES)
def test_every_exported_name_is_there(name: str) -> None:
    """And another one is an error that names it."""
    package = import_module(name)
    for export in package.__all__:
        module = import_module(f"{name}.{package._MODULES[export]}")
        assert getattr(package, export) is getattr(module, export)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = package.Nothing


@pytest.mark.parametrize("name", PACKAGES)
def test_importing_the_package_imports_nothing_of_it(name: str) -> None:
    """A process imports what it uses."""
    program = f"import sys, {name}; print([m for m in sys.modules if m.startswith('{name}.')])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ran.stdout.decode().strip() == "[]"
