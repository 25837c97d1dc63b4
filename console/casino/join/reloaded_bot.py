"""The bot of a file: asked for its decisions, loaded anew when it changes, run in a debugger."""

import asyncio
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from casino_play.bot_file import Act, load_act, split_spec
from casino_play.errors import BotFileFailed, FunctionFailed

Stamp = tuple[int, int]


class ReloadedBot:
    """The function of a file. `say` gets the lines for the bot's author.

    Between two decisions the file is loaded again if it has changed; one that cannot be loaded
    leaves the old version at work.
    """

    def __init__(self, spec: str, say: Callable[[str], None]) -> None:
        self.spec = spec
        self.path = split_spec(spec)[0]
        self._say = say
        self._stamp = _stamp(self.path)
        self._act = self._loaded()
        self._last_error: tuple[str, ...] = ()

    async def decide(self, turn: dict[str, Any]) -> Any:
        """Return the bot's answer, which is JSON. Raises FunctionFailed."""
        self._reload()
        try:
            return await self._act(turn)
        except FunctionFailed as failed:
            self._show(failed.lines)
            raise

    def _reload(self) -> None:
        stamp = _stamp(self.path)
        if stamp is None or stamp == self._stamp:  # an editor may replace the file just now
            return
        self._stamp = stamp
        try:
            self._act = self._loaded()
        except BotFileFailed as failed:
            self._say(f"{failed}; the version before plays on")
        else:
            self._last_error = ()
            self._say(f"{self.path.name} was loaded again")

    def _loaded(self) -> Act:
        """Return the function of the file as it is now; raises BotFileFailed."""
        # Bytecode is kept by whole seconds: of two quick changes the second would not be seen.
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        try:
            return load_act(self.spec)
        finally:
            sys.dont_write_bytecode = before

    def _show(self, lines: tuple[str, ...]) -> None:
        """Show an error, but not once more for the second attempt at the same question."""
        if lines == self._last_error:
            self._say(f"the same again: {lines[-1]}")
            return
        self._last_error = lines
        for line in lines:
            self._say(line)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


Decide = Callable[[dict[str, Any]], Awaitable[Any]]


class _Inline(ThreadPoolExecutor):
    """An executor without threads: `breakpoint()` needs the thread that reads the terminal."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  it is the result
            future.set_exception(error)
        return future


def decide_here(
    decide: Decide,
    work: Callable[[Decide], Coroutine[Any, Any, int]],
    interrupt: Callable[[], None],
) -> int:
    """Run `work` in a thread of its own and what it decides in this one; returns its result.

    Ctrl-C and SIGTERM call `interrupt`; a decision that they break fails.
    """
    loop = asyncio.new_event_loop()
    loop.set_default_executor(_Inline())
    ended: Future[int] = Future()

    async def there(turn: dict[str, Any]) -> Any:
        try:
            deciding = asyncio.run_coroutine_threadsafe(_awaited(decide(turn)), loop)
            return await asyncio.wrap_future(deciding)
        except KeyboardInterrupt:
            raise FunctionFailed("the decision was interrupted") from None

    def run() -> None:
        try:
            ended.set_result(asyncio.run(work(there)))
        except BaseException as error:  # noqa: BLE001  raised in the main thread
            ended.set_exception(error)
        finally:
            loop.call_soon_threadsafe(loop.stop)

    before = {
        number: signal.signal(number, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    thread = threading.Thread(target=run, name="casino", daemon=True)
    thread.start()
    try:
        while not ended.done():
            try:
                loop.run_forever()
            except KeyboardInterrupt:
                interrupt()
        thread.join()
        return ended.result()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        loop.close()


async def _awaited(decision: Awaitable[Any]) -> Any:
    try:
        return await decision
    finally:
        # The debugger's `continue` takes Ctrl-C for itself, which between decisions means leave.
        signal.signal(signal.SIGINT, signal.default_int_handler)
