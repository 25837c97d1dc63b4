"""Store of tasks in memory, which forgets the oldest ones that have ended."""

from typing import Final

from a2a.server.context import ServerCallContext
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import Task, TaskState

TASKS_KEPT: Final = 256
"""Ended tasks that can still be read. The message of a task has at most 64 KiB."""
_ENDED: Final = frozenset(
    {
        TaskState.TASK_STATE_COMPLETED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
    }
)


class RecentTasks(InMemoryTaskStore):
    """Keeps the running tasks, and of the ended ones the newest `kept`."""

    def __init__(self, kept: int = TASKS_KEPT) -> None:
        super().__init__()
        self._kept = kept
        self._ended: dict[str, ServerCallContext] = {}
        """The context of each ended task's last update, in the order of their ends."""

    async def save(self, task: Task, context: ServerCallContext) -> None:
        """Save a task."""
        await super().save(task, context)
        if task.status.state in _ENDED:
            self._ended.setdefault(task.id, context)
            while len(self._ended) > self._kept:
                oldest = next(iter(self._ended))
                await self.delete(oldest, self._ended[oldest])

    async def delete(self, task_id: str, context: ServerCallContext) -> None:
        """Forget a task."""
        self._ended.pop(task_id, None)
        await super().delete(task_id, context)
