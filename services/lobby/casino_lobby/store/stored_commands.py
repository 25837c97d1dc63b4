"""Commands that a store keeps before they are executed, and their answers; here in memory."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from typing_extensions import override

KEPT: Final = timedelta(days=7)
"""How long the answer of a finished command is kept for repeated requests."""


_COMMANDS_KEPT = 10_000
"""Maximum number of finished commands; an answer may hold a room with its newest events."""


@dataclass(frozen=True)
class Command:
    """A stored command; stored before it is executed, so that a crash cannot execute it twice.

    `key` identifies it (its kind and its caller's request id), `digest` its content. `notes` holds
    values fixed before it was sent on, such as a player's id. `answer` is its output as JSON, None
    while it is pending.
    """

    key: str
    name: str
    digest: str
    input: str
    """The command's input as JSON."""
    notes: Mapping[str, str] = field(default_factory=dict)
    answer: str | None = None


class StoredCommands(ABC):
    """Pending and recently finished commands by their key."""

    @abstractmethod
    async def intend(self, command: Command) -> Command:
        """Store a new command, or return the stored one with the same key."""

    @abstractmethod
    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        """Add to a command's notes."""

    @abstractmethod
    async def finish(self, key: str, answer: str) -> None:
        """Store a command's answer."""

    @abstractmethod
    async def drop(self, key: str) -> None:
        """Delete a refused command, so that it can be sent again."""

    @abstractmethod
    async def pending(self) -> list[Command]:
        """Return those without an answer, the oldest first; in a group its own, each once."""


class MemoryCommands(StoredCommands):
    """Commands in memory, the finished ones for a week; `now` is the wall clock."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._commands: dict[str, Command] = {}
        self._finished: OrderedDict[str, datetime] = OrderedDict()

    @override
    async def intend(self, command: Command) -> Command:
        self._forget_old_commands()
        return self._commands.setdefault(command.key, command)

    @override
    async def note(self, key: str, notes: Mapping[str, str]) -> None:
        stored = self._commands[key]
        self._commands[key] = replace(stored, notes={**stored.notes, **notes})

    @override
    async def finish(self, key: str, answer: str) -> None:
        self._commands[key] = replace(self._commands[key], answer=answer)
        self._finished[key] = self._now()

    @override
    async def drop(self, key: str) -> None:
        self._commands.pop(key, None)
        self._finished.pop(key, None)

    @override
    async def pending(self) -> list[Command]:
        return [command for command in self._commands.values() if command.answer is None]

    def _forget_old_commands(self) -> None:
        since = self._now() - KEPT
        while self._finished:
            key, finished = next(iter(self._finished.items()))
            if finished >= since and len(self._finished) <= _COMMANDS_KEPT:
                return
            del self._finished[key]
            self._commands.pop(key, None)
