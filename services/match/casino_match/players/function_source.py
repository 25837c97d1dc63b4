"""Where the function of a player comes from: a file, which is loaded anew, or a program.

Two versions of a bot are compared by two folders, and both may have a `strategy.py`. So the modules
of a folder are in `sys.modules`, and the folder in `sys.path`, while a function of it runs.
"""

import sys
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import ClassVar, Protocol

from casino_play.bot_file import Function, file_of, load_function, split_spec
from casino_play.errors import BotFileFailed

from casino_match.domain.plan import Entrant
from casino_match.errors import PlayerFailed


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


class FunctionSource(Protocol):
    """Gives the function of a player."""

    @property
    def spec(self) -> str:
        """What the author calls it, such as `bots/mine.py:act`."""

    @property
    def file(self) -> Path:
        """The file that defines it."""

    def enter(self) -> None:
        """Prepare the process for a call of the function."""

    def loaded(self) -> Function:
        """Return the function, as new as the source has it; raises PlayerFailed."""

    def check_unchanged(self) -> None:
        """Raise PlayerFailed if the source is no longer what it was at first."""


class FunctionFile:
    """The file of an entrant, relative to a folder; each load executes it anew."""

    def __init__(self, entrant: Entrant, folder: Path) -> None:
        self._name = entrant.name
        file, function = split_spec(entrant.player)
        self.file = folder / file
        self._folder = folder_of(self.file)
        self.spec = f"{self.file}:{function}"
        self._arguments = entrant.arguments
        self._content: bytes | None = None

    def enter(self) -> None:
        self._folder.enter()

    def loaded(self) -> Function:
        """Return the function of a new execution of the file; raises PlayerFailed."""
        self._folder.enter()
        try:
            function = load_function(self.spec, deepcopy(self._arguments))
        except BotFileFailed as error:
            raise PlayerFailed(f"{self._name}: {error}") from error
        if self._content is None:
            self._content = self.file.read_bytes()
        return function

    def check_unchanged(self) -> None:
        if not self.file.is_file() or self.file.read_bytes() != self._content:
            raise PlayerFailed(
                f"{self._name}: {self.file} has changed since the match began: put the version of"
                " the plan back, or start a new match"
            )


class GivenFunction:
    """A function of the running program, which is called as it is and forgets nothing."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self.file = file_of(function)
        self.spec = f"{self.file}:{getattr(function, '__name__', type(function).__name__)}"

    def enter(self) -> None:
        """Do nothing: the program has imported what it needs."""

    def loaded(self) -> Function:
        return self._function

    def check_unchanged(self) -> None:
        """Do nothing: the function is in memory."""
