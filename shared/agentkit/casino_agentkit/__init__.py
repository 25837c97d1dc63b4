"""Typed entrypoints over A2A 1.0: declare, serve and call them.

>>> agent = Agent("Caller", "Calls everything.", infers_skill=True)
>>> @agent.entrypoint("act", who=ANYONE)
... async def act(request: ActionRequest) -> ActionResponse:
...     return ActionResponse(action="call")
>>> serve(lambda url: Service({"": agent}, public_url=url), host="127.0.0.1", port=4101)
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
