"""The SDK's classes without the wrappers of its tracing, while that is off.

A wrapper keeps the error that a method raises in a variable, and the error's traceback keeps the
wrapper's frame: request and body would stay in memory until a garbage collection.
"""

import sys
from types import FunctionType
from typing import Any, Final

from a2a.utils import telemetry

_SDK: Final = "a2a."


def untrace() -> None:
    """Take the wrappers off what is imported, unless tracing is on."""
    if telemetry.otel_installed and telemetry.otel_enabled:
        return
    modules = [vars(module) for name, module in list(sys.modules.items()) if name.startswith(_SDK)]
    members = [item for names in modules for item in names.values() if isinstance(item, type)]
    for traced in {item for item in members if item.__module__.startswith(_SDK)}:
        for name, method in list(vars(traced).items()):
            unwrapped: Any = method
            while _is_wrapper(unwrapped):
                unwrapped = unwrapped.__wrapped__
            if unwrapped is not method:
                setattr(traced, name, unwrapped)


def _is_wrapper(method: object) -> bool:
    return (
        isinstance(method, FunctionType)
        and method.__code__.co_filename == telemetry.__file__
        and hasattr(method, "__wrapped__")
    )
