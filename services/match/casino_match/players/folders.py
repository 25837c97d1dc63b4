"""The folders of bots: each has modules of its own, also where two folders have equal names.

Two versions of a bot are compared by two folders, and both may have a `strategy.py`. So the modules
of a folder are in `sys.modules`, and the folder in `sys.path`, while a function of it runs.
"""

import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import ClassVar


class BotFolder:
    """The modules that bots of one folder have imported from it."""

    _current: ClassVar["BotFolder | None"] = None

    def __init__(self, path: str) -> None:
        """Begin without modules; what the program has imported from it before is everybody's."""
        self._path = path
        self._modules: dict[str, ModuleType] = {}
        self._others: frozenset[str] | None = None
        self._count = 0

    def enter(self) -> None:
        """Make the modules of this folder the current ones."""
        current = BotFolder._current
        if current is self:
            return
        if current is not None:
            current.leave()
        if self._others is None:
            self._others = frozenset(sys.modules)
        sys.modules.update(self._modules)
        sys.path.insert(0, self._path)
        self._count = len(sys.modules)
        BotFolder._current = self

    def leave(self) -> None:
        """Keep the modules of this folder for the next time."""
        if len(sys.modules) != self._count:
            self._modules = {
                name: module
                for name, module in sys.modules.items()
                if name not in (self._others or ()) and self._has(name)
            }
        for name in self._modules:
            sys.modules.pop(name, None)
        if self._path in sys.path:
            sys.path.remove(self._path)

    def _has(self, name: str) -> bool:
        """Return whether a module, or the package that it is in, lies in the folder itself."""
        top = sys.modules.get(name.partition(".")[0])
        paths = getattr(top, "__path__", None)
        places = [*paths] if paths is not None else [getattr(top, "__file__", None) or ""]
        return any(str(Path(place).parent) == self._path for place in places if place)


@cache
def folder_of(file: Path) -> BotFolder:
    """Return the folder of a file, the same for all files in it."""
    return _folder(str(file.resolve().parent))


@cache
def _folder(path: str) -> BotFolder:
    return BotFolder(path)
