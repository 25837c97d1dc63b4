"""Who calls the SDK's methods, and the tasks that they see.

Callers see the tasks made with their own token, or from their own network; the store forgets the
oldest ones that have ended.
"""

import hashlib
from typing import Final

from a2a.auth.user import User
from a2a.server.context import ServerCallContext
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import Task, TaskState
from a2a.utils.errors import UnsupportedOperationError
from starlette.requests import Request

from casino_agentkit.authority import Caller, Rule, caller
from casino_agentkit.errors import CommandRefused
from casino_agentkit.network import network_of

TASKS_KEPT: Final = 256  # ended tasks that can still be read
BYTES_KEPT: Final = 4 * 1024 * 1024  # their size; of tasks with messages of 64 KiB fewer are kept
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
        await super().save(task, context)
        if task.status.state in _ENDED:
            if task.id not in self._ended:
                self._ended[task.id] = (context, task.ByteSize())
                self._left -= task.ByteSize()
            while len(self._ended) > self._kept or (self._left < 0 and len(self._ended) > 1):
                oldest = next(iter(self._ended))
                await self.delete(oldest, self._ended[oldest][0])

    async def delete(self, task_id: str, context: ServerCallContext) -> None:
        _, size = self._ended.pop(task_id, (context, 0))
        self._left += size
        await super().delete(task_id, context)


def admit(who: Rule) -> None:
    """Check the caller of this request. Raises UnsupportedOperationError with the reason."""
    try:
        who.admit(caller(), None)
    except CommandRefused as refusal:
        reason = {"reason": refusal.reason}
        raise UnsupportedOperationError(refusal.message, reason) from refusal


class CallingUser(User):
    """The user of the SDK that stands for a caller, whose token nobody has verified."""

    def __init__(self, sender: Caller) -> None:
        kind, own = ("token", sender.token) if sender.token else ("at", network_of(sender.address))
        self._name = f"{kind}:{hashlib.sha256(own.encode(errors='replace')).hexdigest()}"

    @property
    def is_authenticated(self) -> bool:
        """False: the rule of an entrypoint or of tasks checks a token."""
        return False

    @property
    def user_name(self) -> str:
        """The digest of the token, without one that of the network."""
        return self._name


class CallContextBuilder(DefaultServerCallContextBuilder):
    """Takes the user of a service's own middleware, otherwise the caller."""

    def build_user(self, request: Request) -> User:
        if "user" in request.scope:
            return super().build_user(request)
        return CallingUser(caller())
