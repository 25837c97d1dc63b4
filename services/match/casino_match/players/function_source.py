"""Where the function of a player comes from: a file, which is loaded anew, or a program."""

from copy import deepcopy
from pathlib import Path
from typing import Protocol

from casino_play.bot_file import Function, file_of, line_of, load_function, split_spec
from casino_play.errors import BotFileFailed

from casino_match.domain.plan import Entrant
from casino_match.errors import PlayerFailed
from casino_match.players.folders import folder_of


class FunctionSource(Protocol):
    """Gives the function of a player."""

    @property
    def spec(self) -> str:
        """What the author calls it, such as `bots/mine.py:act`."""
        ...

    def enter(self) -> None:
        """Prepare the process for a call of the function."""
        ...

    def loaded(self) -> Function:
        """Return the function, as new as the source has it; raises PlayerFailed."""
        ...

    def check_unchanged(self) -> None:
        """Raise PlayerFailed if the source is no longer what it was at first."""
        ...

    def place_of(self, error: BaseException) -> str:
        """Return where the author's code raised an error, such as `bot.py, line 5`."""
        ...


class FunctionFile:
    """The file of an entrant, relative to a folder; each load executes it anew."""

    def __init__(self, entrant: Entrant, folder: Path) -> None:
        """Note the file: it is read when the function is loaded."""
        self._name = entrant.name
        file, function = split_spec(entrant.player)
        self._file = folder / file
        self._folder = folder_of(self._file)
        self.spec = f"{self._file}:{function}"
        self._arguments = entrant.arguments
        self._content: bytes | None = None

    def enter(self) -> None:
        """Make the modules of the file's folder the current ones."""
        self._folder.enter()

    def loaded(self) -> Function:
        """Return the function of a new execution of the file; raises PlayerFailed."""
        self._folder.enter()
        try:
            function = load_function(self.spec, deepcopy(self._arguments))
        except BotFileFailed as error:
            raise PlayerFailed(f"{self._name}: {error}") from error
        if self._content is None:
            self._content = self._file.read_bytes()
        return function

    def check_unchanged(self) -> None:
        """Raise PlayerFailed if the file has changed: the match would go on with another bot."""
        if not self._file.is_file() or self._file.read_bytes() != self._content:
            raise PlayerFailed(
                f"{self._name}: {self._file} has changed since the match began: put the version of"
                " the plan back, or start a new match"
            )

    def place_of(self, error: BaseException) -> str:
        """Return the file's name, with the line if the error passed one."""
        return place_in(self._file, error)


class GivenFunction:
    """A function of the running program, which is called as it is and forgets nothing."""

    def __init__(self, function: Function) -> None:
        """Name it by the file that defines it."""
        self._function = function
        self._file = file_of(function)
        self.spec = f"{self._file}:{getattr(function, '__name__', type(function).__name__)}"

    def enter(self) -> None:
        """Do nothing: the program has imported what it needs."""

    def loaded(self) -> Function:
        """Return the function."""
        return self._function

    def check_unchanged(self) -> None:
        """Do nothing: the function is in memory."""

    def place_of(self, error: BaseException) -> str:
        """Return the file's name, with the line if the error passed one."""
        return place_in(self._file, error)


def place_in(file: Path, error: BaseException) -> str:
    """Return a file's name, with its last line that an error passed, if there is one."""
    line = line_of(error, file)
    return f"{file.name}, line {line}" if line else file.name
