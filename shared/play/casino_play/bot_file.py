"""Load a bot's function from a Python file: `bot.py:act`."""

import asyncio
import inspect
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from casino_play.errors import BotFileFailed

Act = Callable[[dict[str, Any]], Awaitable[Any]]
Function = Callable[..., Any]

DEFAULT_FUNCTION: Final = "act"
_MODULE: Final = "casino_bot_file"
"""The name under which a bot's file is imported, so that `__main__` blocks do not run."""


def load_act(spec: str) -> Act:
    """Load as `load_function`, by default `act`; a plain function runs in a thread."""
    return act_of(load_function(spec))


def act_of(function: Function) -> Act:
    """Return a function as one that is awaited; a plain one runs in a thread."""
    if inspect.iscoroutinefunction(function):
        return partial(_awaited, function)
    return partial(_in_thread, function)


def load_function(spec: str, arguments: Mapping[str, Any] | None = None) -> Function:
    """Return the function of `FILE:FUNCTION` as it is; `arguments` are keywords of its calls.

    The file is executed anew, and its folder added to the import path. Raises BotFileFailed, which
    names the file, the function, and the line of an error in the file.
    """
    file, name = split_spec(spec)
    function = getattr(_imported(file), name, None)
    if function is None:
        raise BotFileFailed(f"{file} has no function {name}: write def {name}(turn): ...")
    if not callable(function):
        raise BotFileFailed(f"{name} in {file} is no function but a {type(function).__name__}")
    _check_takes_a_turn(file, name, function, arguments or {})
    loaded: Function = partial(function, **arguments) if arguments else function
    return loaded


def split_spec(spec: str) -> tuple[Path, str]:
    """Return the file and the function's name of `FILE:FUNCTION` or `FILE`.

    >>> split_spec("bot.py:decide")
    (PosixPath('bot.py'), 'decide')
    """
    file, colon, name = spec.rpartition(":")
    if not colon or not name.isidentifier():
        return Path(spec), DEFAULT_FUNCTION
    return Path(file), name


def file_of(function: Function) -> Path:
    """Return the file that defines a function; `bot.py` if the function does not tell."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return Path("bot.py") if code is None else Path(code.co_filename)


def own_lines(error: BaseException, file: Path) -> list[str]:
    """Return the traceback from the bot's file on, and the error's message."""
    frames = traceback.extract_tb(error.__traceback__)
    path = str(file.resolve())
    first = next((at for at, frame in enumerate(frames) if frame.filename == path), len(frames))
    lines = traceback.format_list(frames[first:])
    lines += traceback.format_exception_only(type(error), error)
    return "".join(lines).rstrip().splitlines()


def line_of(error: BaseException, file: Path) -> int | None:
    """Return the last line of the bot's file that an error passed; None if it passed none."""
    path = str(file.resolve())
    if isinstance(error.__cause__, StopIteration):
        error = error.__cause__
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == path), None)


async def _in_thread(function: Function, turn: dict[str, Any]) -> Any:
    """Keep tracebacks: a future replaces a TimeoutError, and cannot hold a StopIteration."""

    def run() -> tuple[Any, BaseException | None]:
        try:
            return function(turn), None
        except Exception as error:  # noqa: BLE001  whatever the bot's author raises
            return None, error

    answer, error = await asyncio.to_thread(run)
    if isinstance(error, StopIteration):
        error = _without_stop(error)
    if error is not None:
        raise error
    return answer


def _without_stop(error: StopIteration) -> RuntimeError:
    """Return an error that a coroutine may raise in place of a StopIteration."""
    replaced = RuntimeError("StopIteration")
    replaced.__cause__ = error
    return replaced


async def _awaited(function: Act, turn: dict[str, Any]) -> Any:
    return await function(turn)


class _FromSource(SourceFileLoader):
    """Loads a file from its text: kept bytecode may be that of a change in the same second."""

    def get_code(self, fullname: str) -> CodeType:
        del fullname
        return self.source_to_code(self.get_data(self.path), self.path)


def _imported(file: Path) -> ModuleType:
    if not file.is_file():
        raise BotFileFailed(f"there is no file {file}")
    path = file.resolve()
    if path.suffix != ".py":
        raise BotFileFailed(f"{file} is no Python file: its name must end in .py")
    loader = _FromSource(_MODULE, str(path))
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))  # so that it can import its neighbours
    spec = ModuleSpec(_MODULE, loader, origin=str(path))
    spec.has_location = True  # so that the module has its __file__
    module = module_from_spec(spec)
    sys.modules[_MODULE] = module  # dataclasses and pickle look it up
    try:
        loader.exec_module(module)
    except (Exception, SystemExit) as error:
        line = line_of(error, path)
        where = f"{file}, line {line}" if line else str(file)
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BotFileFailed(f"{where}: {type(error).__name__}: {message}") from error
    return module


def _check_takes_a_turn(
    file: Path, name: str, function: Function, arguments: Mapping[str, Any]
) -> None:
    try:
        inspect.signature(function).bind({}, **arguments)
    except TypeError as error:
        also = f" and {', '.join(arguments)}" if arguments else " alone"
        written = ", ".join(("turn", *arguments))
        raise BotFileFailed(
            f"{name} in {file} cannot be called with the turn{also} ({error}):"
            f" write def {name}({written}): ..."
        ) from error
    except ValueError:  # a function of C has no signature
        return
