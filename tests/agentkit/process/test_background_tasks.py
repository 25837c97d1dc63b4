"""Tasks that nobody awaits."""

import asyncio
import gc
import weakref

from casino_agentkit.process.background_tasks import BackgroundTasks
from structlog.testing import capture_logs


class TestBackgroundTasks:
    async def test_a_running_task_is_not_collected_as_garbage(self) -> None:
        """The loop itself has only weak references to a task that waits for an object of its own.

        The future below is referenced by nothing but the task that waits for it.
        """
        tasks = BackgroundTasks()

        async def work() -> None:
            await asyncio.get_running_loop().create_future()

        reference = weakref.ref(tasks.begin(work()))
        started = asyncio.Event()
        asyncio.get_running_loop().call_soon(started.set)
        await started.wait()
        gc.collect()
        assert reference() is not None
        await tasks.end()

    async def test_a_failure_is_logged_and_the_others_go_on(self) -> None:
        tasks, goes_on, ends = BackgroundTasks(), asyncio.Event(), asyncio.Event()

        async def fail() -> None:
            raise ValueError("no such room")

        async def go_on() -> None:
            await goes_on.wait()
            ends.set()

        with capture_logs() as logs:
            tasks.begin(go_on())
            await asyncio.wait([tasks.begin(fail())])
            goes_on.set()
            await ends.wait()
            await tasks.wait()
        assert logs == [
            {
                "event": "background_task_failed",
                "log_level": "error",
                "error": "ValueError('no such room')",
            }
        ]

    async def test_another_function_gets_the_failures(self) -> None:
        failures: list[BaseException] = []
        tasks = BackgroundTasks(failures.append)
        error = RuntimeError("disk full")

        async def fail() -> None:
            raise error

        with capture_logs() as logs:
            tasks.begin(fail())
            await tasks.wait()
        assert (failures, logs) == ([error], [])

    async def test_the_end_cancels_all_tasks_and_waits_for_their_clean_up(self) -> None:
        failures: list[BaseException] = []
        tasks = BackgroundTasks(failures.append)
        cleaned: list[int] = []
        started = asyncio.Barrier(4)

        async def work(number: int) -> None:
            try:
                await started.wait()
                await asyncio.Event().wait()
            finally:
                cleaned.append(number)

        for number in range(3):
            tasks.begin(work(number))
        await started.wait()
        await tasks.end()
        assert sorted(cleaned) == [0, 1, 2]
        assert (len(tasks), failures) == (0, [])
