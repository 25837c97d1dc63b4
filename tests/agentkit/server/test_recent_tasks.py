"""Which tasks are kept."""

from a2a.server.context import ServerCallContext
from a2a.types import ListTasksRequest, Task, TaskState, TaskStatus
from casino_agentkit.server.sdk.sdk_callers import RecentTasks

CONTEXT = ServerCallContext()


def task(name: str, state: TaskState) -> Task:
    return Task(id=name, context_id="c", status=TaskStatus(state=state))


async def test_the_oldest_ended_task_is_forgotten() -> None:
    """However it ended; a running one never is, however old."""
    tasks = RecentTasks(2)
    await tasks.save(task("runs", TaskState.TASK_STATE_WORKING), CONTEXT)
    ends = (
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_COMPLETED,
    )
    for number, end in enumerate(ends):
        await tasks.save(task(str(number), TaskState.TASK_STATE_WORKING), CONTEXT)
        await tasks.save(task(str(number), end), CONTEXT)
    kept = (await tasks.list(ListTasksRequest(), CONTEXT)).tasks
    assert {one.id for one in kept} == {"runs", "2", "3"}


async def test_a_task_that_ended_counts_once() -> None:
    """Also if it is saved again, or deleted."""
    tasks = RecentTasks(2)
    for _ in range(3):
        await tasks.save(task("a", TaskState.TASK_STATE_COMPLETED), CONTEXT)
    await tasks.save(task("b", TaskState.TASK_STATE_COMPLETED), CONTEXT)
    await tasks.delete("b", CONTEXT)
    await tasks.save(task("c", TaskState.TASK_STATE_COMPLETED), CONTEXT)
    assert await tasks.get("a", CONTEXT)
    assert await tasks.get("c", CONTEXT)
    assert not await tasks.get("b", CONTEXT)


async def test_of_large_tasks_fewer_are_kept() -> None:
    """As many as have the bytes, and the newest in any case."""
    tasks, size = RecentTasks(9, 3_000), 1_000
    for number in range(5):
        large = task(str(number), TaskState.TASK_STATE_COMPLETED)
        large.metadata["pad"] = "x" * size
        await tasks.save(large, CONTEXT)
        await tasks.save(large, CONTEXT)
    kept = (await tasks.list(ListTasksRequest(), CONTEXT)).tasks
    assert {one.id for one in kept} == {"3", "4"}
    huge = task("huge", TaskState.TASK_STATE_COMPLETED)
    huge.metadata["pad"] = "x" * 9_000
    await tasks.save(huge, CONTEXT)
    kept = (await tasks.list(ListTasksRequest(), CONTEXT)).tasks
    assert [one.id for one in kept] == ["huge"]
    await tasks.save(task("small", TaskState.TASK_STATE_FAILED), CONTEXT)
    assert await tasks.get("small", CONTEXT)
