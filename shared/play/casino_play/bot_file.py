"""The function of a bot: loaded from a Python file, `bot.py:act`, and called.

Whoever calls one, at a table, in a check or in a match, words its failures by `failure_of` and
reads its answer by `answer_json`.
"""

import asyncio
import ctypes
import inspect
import json
import math
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from casino_agentkit.accepted_json import shown
from casino_contracts import FAULT_REASON_LIMIT
from pydantic import BaseModel

from casino_play.errors import BotFileFailed, FunctionFailed

Act = Callable[[dict[str, Any]], Awaitable[Any]]
Function = Callable[..., Any]

DEFAULT_FUNCTION: Final = "act"
_MODULE: Final = "casino_bot_file"
"""The name under which a bot's file is imported, so that `__main__` blocks do not run."""


_DEEPEST: Final = 32
"""The levels of an answer in which its part that is no JSON is looked for."""
_TRIES: Final = 100
_PAUSE_S: Final = 0.1
"""Between two exceptions in a thread that does not end."""


class _Abandoned(BaseException):
    """Raised in the thread of a function that is left to itself: no fault of the function."""


def load_act(spec: str) -> Act:
    """Load as `load_function`, by default `act`; called as by `act_of`."""
    return act_of(load_function(spec), split_spec(spec)[0])


def act_of(function: Function, file: Path | None = None) -> Act:
    """Return a function as one that is awaited and answers with JSON; a plain one runs in a thread.

    `file` defines it. Awaiting raises FunctionFailed, whatever the function raises: SystemExit too.
    """
    return partial(_answered, function, file or file_of(function))


async def _answered(function: Function, file: Path, turn: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(function):
        answer, error = _called(function, turn)
    else:
        answer, error = await asyncio.to_thread(_called, function, turn)
    if error is None and inspect.isawaitable(answer):
        answer, error = await _awaited(answer)
    if error is not None:
        raise failure_of(error, file) from error
    try:
        return json.loads(answer_json(answer))
    except ValueError as no_json:
        raise FunctionFailed(f"{file.name}: {no_json}") from no_json


def _called(function: Function, turn: dict[str, Any]) -> tuple[Any, BaseException | None]:
    """Return what a function returns or raises: a future would replace some errors by others."""
    try:
        return function(turn), None
    except BaseException as error:
        if not is_fault(error):
            raise
        return None, error


async def _awaited(answer: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    try:
        return await answer, None
    except BaseException as error:
        task = asyncio.current_task()
        is_ended = isinstance(error, asyncio.CancelledError) and task and task.cancelling()
        if is_ended or not is_fault(error):
            raise
        return None, error


def is_fault(error: BaseException) -> bool:
    """Return whether an error is that of a function, not an order to stop: Ctrl-C, `abandon`."""
    if isinstance(error, KeyboardInterrupt):  # Ctrl-C reaches the main thread alone
        return threading.current_thread() is not threading.main_thread()
    return not isinstance(error, _Abandoned)


def abandon(thread: threading.Thread) -> None:
    """Raise an exception in a function's thread, at its next step in Python, until it ends."""
    for _ in range(_TRIES):
        if thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident), ctypes.py_object(_Abandoned)
            )
        thread.join(_PAUSE_S)
        if not thread.is_alive():
            return


def failure_of(error: BaseException, file: Path) -> FunctionFailed:
    """Return the failure of a function that a file defines: `bot.py, line 3: KeyError: 'x'`."""
    what = _what(error)
    folder = file.resolve().parent
    frames = [(_short(frame.filename, folder), frame) for frame in _own_frames(error, file)]
    lines = []
    for name, frame in frames:
        lines.append(f"{name}:{frame.lineno} in {frame.name}")
        if frame.line:
            lines.append(f"    {frame.line}")
    place = f"{frames[-1][0]}, line {frames[-1][1].lineno}" if frames else file.name
    return FunctionFailed(shown(f"{place}: {what}", FAULT_REASON_LIMIT), [*lines, what])


def answer_json(answer: Any) -> str:
    """Return what a function answered as JSON; messages of any model may be in it.

    Raises ValueError, which names the part that is no JSON.
    """
    try:
        return json.dumps(answer, default=_fields, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        part = next(_no_json(answer, ""), str(error))
        raise ValueError(f"the answer is no JSON: {part}") from error


def _fields(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"it has a {type(value).__name__}")


def _no_json(value: object, path: str, depth: int = 0) -> Iterator[str]:
    """Yield which parts are no JSON, such as `usage.costUsd is nan, no JSON number`."""
    parts: Iterator[tuple[str, object]] = iter(())
    if isinstance(value, dict):
        parts = ((f"{path}.{key}" if path else str(key), value[key]) for key in value)
    elif isinstance(value, list | tuple):
        parts = ((f"{path}[{number}]", part) for number, part in enumerate(value))
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{path or 'it'} is {value}, no JSON number"
    elif not isinstance(value, str | int | float | BaseModel | None):
        yield f"{path or 'it'} is of the type {type(value).__name__}"
    if depth < _DEEPEST:
        for name, part in parts:
            yield from _no_json(part, name, depth + 1)


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


def line_of(error: BaseException, file: Path) -> int | None:
    """Return the last line of the bot's file that an error passed; None if it passed none."""
    path = str(file.resolve())
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == path), None)


def _own_frames(error: BaseException, file: Path) -> list[traceback.FrameSummary]:
    """Return where an error passed the bot's file, and then other files of its folder."""
    if isinstance(error.__cause__, StopIteration):  # a coroutine raises RuntimeError in its place
        error = error.__cause__
    frames = traceback.extract_tb(error.__traceback__)
    path = file.resolve()
    paths = [Path(frame.filename).resolve() for frame in frames]
    first = paths.index(path) if path in paths else len(paths)
    return [
        frame
        for frame, where in zip(frames[first:], paths[first:], strict=True)
        # A virtual environment beside the bot holds other people's code.
        if where.is_relative_to(path.parent) and "site-packages" not in where.parts
    ]


def _short(filename: str, folder: Path) -> str:
    return str(Path(filename).resolve().relative_to(folder))


def _what(error: BaseException) -> str:
    """Return kind and message of an error in one line, whatever its `__str__` does."""
    kind = type(error).__name__
    try:
        text = " ".join(str(error).split())
    except (Exception, SystemExit):  # noqa: BLE001  the bot's author wrote it
        return kind
    return f"{kind}: {text}" if text else kind


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
    except BaseException as error:
        if not is_fault(error):
            raise
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
