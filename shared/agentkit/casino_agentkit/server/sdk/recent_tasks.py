"""Store of tasks in memory, which forgets the oldest ones that have ended."""

from typing import Final

from a2a.server.context import ServerCallContext
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import Task, TaskState

TASKS_KEPT: Final = 256
"""Ended tasks that can still be read."""
BYTES_KEPT: Final = 4 * 1024 * 1024
"""Their size; of tasks with messages of 64 KiB fewer are kept."""
_ENDED: Final = frozenset(
    {
        TaskState.TASK_STATE_COMPLETED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_REJECTED,
    }
)


class RecentTasks(InMemoryTaskStore):
    """Keeps the running tasks, and of the ended ones the newest: `kept`, of `most_bytes`."""

    def __init__(self, kept: int = TASKS_KEPT, most_bytes: int = BYTES_KEPT) -> None:
        super().__init__()
        self._kept = kept
        self._left = most_bytes
        self._ended: dict[str, tuple[ServerCallContext, int]] = {}
        """The context of each ended task's last update and its size, in the order of their ends."""

    async def save(self, task: Task, context: ServerCallContext) -> None:
        """Save a task."""
        await super().save(task, context)
        if task.status.state in _ENDED:
            if task.id not in self._ended:
                self._ended[task.id] = (context, task.ByteSize())
                self._left -= task.ByteSize()
            while len(self._ended) > self._kept or (self._left < 0 and len(self._ended) > 1):
                oldest = next(iter(self._ended))
                await self.delete(oldest, self._ended[oldest][0])

    async def delete(self, task_id: str, context: ServerCallContext) -> None:
        """Forget a task."""
        _, size = self._ended.pop(task_id, (context, 0))
        self._left += size
        await super().delete(task_id, context)
