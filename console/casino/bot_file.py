"""The function of a bot in a Python file: `bot.py:act`."""

import asyncio
import importlib.util
import inspect
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from casino.errors import BotFileFailed

Act = Callable[[dict[str, Any]], Awaitable[Any]]

_NAME = "casino_bot_file"


def load_act(spec: str) -> Act:
    """Return the function of `FILE.py:FUNCTION`; a synchronous one runs in a worker thread.

    The file is executed anew at every call. Raises BotFileFailed for a missing file or function,
    and whatever the file itself raises, a SyntaxError too.
    """
    path, name = parts_of(spec)
    if not path.is_file():
        raise BotFileFailed(f"{path}: there is no such file")
    directory = str(path.parent.resolve())
    if directory not in sys.path:
        sys.path.insert(0, directory)  # so that the bot may import its neighbours
    module_spec = importlib.util.spec_from_file_location(_NAME, path)
    assert module_spec is not None and module_spec.loader is not None  # noqa: S101, PT018
    module = importlib.util.module_from_spec(module_spec)
    code = compile(path.read_bytes(), str(path), "exec")  # never a stale bytecode file
    exec(code, module.__dict__)  # noqa: S102  the bot of the user
    act = getattr(module, name, None)
    if not callable(act):
        raise BotFileFailed(f"{path}: there is no function {name}; write `def {name}(turn): ...`")
    if inspect.iscoroutinefunction(act):
        asynchronous: Act = act
        return asynchronous

    async def run(turn: dict[str, Any]) -> Any:
        return await asyncio.to_thread(act, turn)

    return run


def parts_of(spec: str) -> tuple[Path, str]:
    """Return file and function of a bot; the function is `act` unless it is named.

    >>> parts_of("bots/mine.py:play")
    (PosixPath('bots/mine.py'), 'play')
    """
    file, colon, name = spec.rpartition(":")
    if not colon or name.endswith(".py"):
        return Path(spec), "act"
    return Path(file), name
