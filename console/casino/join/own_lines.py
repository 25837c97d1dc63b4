"""The error of a bot, as its author reads it: the lines of the bot's own files, and the cause."""

import traceback
from pathlib import Path


def own_lines(error: BaseException, directory: Path) -> list[str]:
    """Return the lines of an error: where in the files below `directory`, then what.

    Frames of libraries and of the casino are left out.
    """
    lines = []
    for frame in traceback.extract_tb(error.__traceback__):
        if _is_own(frame.filename, directory):
            lines.append(f"{_short(frame.filename, directory)}:{frame.lineno} in {frame.name}")
            if frame.line:
                lines.append(f"    {frame.line}")
    return [*lines, what(error)]


def where(error: BaseException, directory: Path) -> str:
    """Return the innermost place of an error in the bot's files, such as `bot.py:12`, or ""."""
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if _is_own(frame.filename, directory)
    ]
    return f"{_short(own[-1].filename, directory)}:{own[-1].lineno}" if own else ""


def what(error: BaseException) -> str:
    """Return kind and message of an error in one line.

    >>> what(KeyError("amount"))
    "KeyError: 'amount'"
    """
    first = " ".join(str(error).split())
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _is_own(filename: str, directory: Path) -> bool:
    path = Path(filename).resolve()
    # A virtual environment beside the bot holds other people's code.
    return path.is_relative_to(directory) and "site-packages" not in path.parts


def _short(filename: str, directory: Path) -> str:
    path = Path(filename).resolve()
    return str(path.relative_to(directory)) if path.is_relative_to(directory) else filename
