"""How many bytes an object keeps, counted object by object: no other thread changes that."""

import gc
import sys
from collections.abc import Callable
from types import ModuleType


def kept_bytes(root: object, action: Callable[[], object]) -> int:
    """Return by how many bytes an action makes an object, with all that it reaches, larger."""
    before = _size_of(root)
    action()
    return _size_of(root) - before


def _size_of(root: object) -> int:
    """Return the bytes of all objects that are reached from one, but not by way of modules."""
    modules = {id(vars(module)) for module in list(sys.modules.values())}
    seen: dict[int, object] = {}
    left = [root]
    while left:
        one = left.pop()
        if id(one) in seen or id(one) in modules or isinstance(one, type | ModuleType):
            continue
        seen[id(one)] = one
        left += gc.get_referents(one)
    return sum(map(sys.getsizeof, seen.values()))
