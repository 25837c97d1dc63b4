"""Cancel tasks of other agents that nobody waits for any more, in the background."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext

from casino_agentkit.client.deadline import Deadline
from casino_agentkit.client.slots import CallSlots
from casino_agentkit.errors import AgentError
from casino_agentkit.process.background_tasks import BackgroundTasks

Cancel = Callable[[float], Awaitable[None]]
"""Sends one cancellation; takes its timeout in seconds, raises AgentError."""

_MOST = 16
"""Number of cancellations under way; further ones are left out."""
_TIMEOUT_S = 1.0


class Cancellations:
    """Sends cancellations that nobody waits for: a cancelled task spends no more of its owner.

    Each takes a slot of the calls, and ends within a second. A failure changes nothing: the task's
    result is not wanted either way.
    """

    def __init__(self, slots: CallSlots | None, deadline: Deadline) -> None:
        self._slots = slots
        self._deadline = deadline
        self._tasks = BackgroundTasks()

    def begin(self, url: str, cancel: Cancel) -> None:
        """Send a cancellation to the agent at a URL, unless too many are under way."""
        if len(self._tasks) < _MOST:
            self._tasks.begin(self._send(url, cancel))

    async def end(self) -> None:
        """Give up the cancellations that are under way."""
        await self._tasks.end()

    async def _send(self, url: str, cancel: Cancel) -> None:
        try:
            async with self._deadline(_TIMEOUT_S), self._slot(url):
                await cancel(_TIMEOUT_S)
        except (AgentError, TimeoutError):
            pass

    def _slot(self, url: str) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self._slots is None else self._slots.taken(url)
