"""Idempotent execution of commands, across lost replies and crashes.

A command is stored before any agent is called, and its reply before it is returned. A caller that
lost the reply repeats the command with the same `requestId` and gets the stored reply. A command
that a crash interrupted is resumed after the restart.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from casino_agentkit import CommandRefused, IdempotencyCache, Violation
from casino_contracts import Reason, WireModel

from casino_lobby.errors import OwnedElsewhere
from casino_lobby.store import Command, Store

InputT = TypeVar("InputT", bound=WireModel)
OutputT = TypeVar("OutputT", bound=WireModel)

_LONGEST_ID = 256


@dataclass
class CommandRun:
    """One execution of a command, with values noted before it was sent on."""

    key: str
    store: Store
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def request_id(self) -> str:
        """The id with which the command is sent on: stable, and at most 256 characters."""
        if len(self.key) <= _LONGEST_ID:
            return self.key
        return hashlib.blake2b(self.key.encode(), digest_size=16).hexdigest()

    async def note(self, **notes: str) -> None:
        """Store values that a resumed execution has to reuse; raises StoreFailed."""
        self.notes.update(notes)
        await self.store.commands.note(self.key, notes)


@dataclass(frozen=True)
class CommandType(Generic[InputT, OutputT]):
    """A kind of command: its name, input and output models, and its implementation."""

    name: str
    input: type[InputT]
    output: type[OutputT]
    do: Callable[[InputT, CommandRun], Awaitable[OutputT]]


class IdempotentCommands:
    """Executes the lobby's commands; `new_id` returns an id for a command without `requestId`.

    A command that is repeated while it is being executed waits for the end of that.
    """

    def __init__(self, store: Store, new_id: Callable[[], str]) -> None:
        self._store = store
        self._new_id = new_id
        self._memory = IdempotencyCache()
        self._running: dict[str, asyncio.Event] = {}
        """What ends with the execution of each command, by key."""
        self._begun: list[set[str]] = []
        """The keys that were executed during each search for unfinished commands."""

    async def once(self, kind: CommandType[InputT, OutputT], request: InputT) -> OutputT:
        """Execute a command, or return the stored reply of an earlier execution.

        Raises CommandRefused, and then nothing is stored; REQUEST_ID_REUSED if another command had
        the same id; OwnedElsewhere if another lobby executes it.
        """
        data = request.model_dump()
        key = self._memory.key(kind.name, data)
        if key is None:
            return await self._execute(kind, request, self._new_id())
        return await self._memory.answer(
            key, lambda: self._execute(kind, request, str(data["requestId"]))
        )

    async def unfinished(self, kinds: Collection[str]) -> list[Command]:
        """Return what a lost process began, the oldest first; the caller resumes the `kinds`."""
        begun = set(self._running)
        self._begun.append(begun)
        try:
            pending = await self._store.commands.pending()
        finally:
            self._begun = [keys for keys in self._begun if keys is not begun]
        lost = [command for command in pending if command.key not in begun]
        for command in lost:
            if command.name in kinds:
                self._begin(command.key)
        return lost

    async def resume(self, kind: CommandType[InputT, OutputT], command: Command) -> OutputT:
        """Finish a command that is `unfinished`; raises CommandRefused."""
        try:
            request = kind.input.model_validate_json(command.input)
            run = CommandRun(command.key, self._store, dict(command.notes))
            return await self._finish(kind, request, run)
        finally:
            self._end(command.key)

    def _begin(self, key: str) -> None:
        self._running[key] = asyncio.Event()
        for begun in self._begun:
            begun.add(key)

    def _end(self, key: str) -> None:
        self._running.pop(key).set()

    async def _execute(
        self, kind: CommandType[InputT, OutputT], request: InputT, request_id: str
    ) -> OutputT:
        text = request.model_dump_json()
        digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        command = Command(f"{kind.name}/{request_id}", kind.name, digest, text)
        while command.key in self._running:
            await self._running[command.key].wait()
        self._begin(command.key)
        try:
            return await self._execute_stored(kind, request, command)
        finally:
            self._end(command.key)

    async def _execute_stored(
        self, kind: CommandType[InputT, OutputT], request: InputT, command: Command
    ) -> OutputT:
        request_id, digest = command.key.removeprefix(f"{kind.name}/"), command.digest
        stored = await self._store.commands.intend(command)
        if stored.digest != digest:
            raise CommandRefused(
                Reason.REQUEST_ID_REUSED,
                f"The requestId {request_id} was used for another {kind.name}; choose a new one.",
                (Violation("requestId", "a new one for every new command"),),
            )
        if stored.answer is not None:
            return kind.output.model_validate_json(stored.answer)
        if stored is not command and (owner := await self._store.group.command_owner(stored.key)):
            raise OwnedElsewhere(owner.number, owner.url)
        return await self._finish(
            kind, request, CommandRun(stored.key, self._store, dict(stored.notes))
        )

    async def _finish(
        self, kind: CommandType[InputT, OutputT], request: InputT, run: CommandRun
    ) -> OutputT:
        try:
            output = await kind.do(request, run)
        except CommandRefused:  # not StoreFailed: it may have taken effect, and is resumed
            await self._store.commands.drop(run.key)
            raise
        await self._store.commands.finish(run.key, output.model_dump_json())
        return output
