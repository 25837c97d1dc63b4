"""Decisions in the main thread, where a debugger has the terminal; all else in another one."""

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from casino.errors import BotFailed

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
            raise BotFailed("the decision was interrupted") from None

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
