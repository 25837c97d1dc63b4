"""Message types: one pydantic model for every message between processes.

Shapes follow the casino protocol document; every field added to it is optional.
`python -m casino_contracts DIRECTORY` writes their JSON Schemas.
"""

import ast
import importlib
import pathlib

_STUB = ast.parse(pathlib.Path(__file__).with_suffix(".pyi").read_text())
_MODULES = {
    alias.name: str(node.module)
    for node in _STUB.body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}

__all__ = sorted(_MODULES)  # noqa: PLE0605  sorted() returns a list


def __getattr__(name: str) -> object:
    """Return an exported name; its module is imported now, because few processes need all."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value
