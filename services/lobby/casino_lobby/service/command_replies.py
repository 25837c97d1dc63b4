"""Commands about rooms: how one is declared, and executed once, across lost replies and crashes.

A command is stored before any agent is called, and its reply before it is returned. A caller that
lost the reply repeats the command with the same `requestId` and gets the stored reply. A command
that a crash interrupted is resumed after the restart.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, get_type_hints

from casino_agentkit import CommandRefused, IdempotencyCache, Violation
from casino_agentkit.traces import Traces
from casino_contracts import Reason, WireModel
from casino_contracts.lobby_messages import Service

from casino_lobby.domain.room_limits import order_of
from casino_lobby.errors import OwnedElsewhere
from casino_lobby.store import Command, Store

RequestT = TypeVar("RequestT", bound=WireModel)
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
class CommandType(Generic[RequestT, OutputT]):
    """A kind of command about a room, declared by `room_command` at the method that does it.

    `input` is its request, with a field `sender` for the service that sent it if it has one.
    """

    name: str
    """Also the right of a service."""
    input: type[RequestT]
    output: type[OutputT]
    do: Callable[[Any, RequestT, CommandRun], Awaitable[OutputT]]
    sender: str | None
    opens_room: bool
    """Whether its `roomId` is that of a new room."""

    @property
    def is_kept(self) -> bool:
        """Whether its reply is stored; of others only the effect is the same when repeated."""
        return "request_id" in self.input.model_fields

    def order(self, request: RequestT, sender: Service | None = None) -> RequestT:
        """Return a request as it is executed; one that has its sender keeps it."""
        if self.sender is None or isinstance(request, self.input):
            return request
        return order_of(self.input, request, **{self.sender: sender})

    def room_id(self, request: RequestT) -> str | None:
        """Return the id of the room that a request is about; None if it opens one."""
        return None if self.opens_room else getattr(request, "room_id", None)


def room_command(
    name: str, request: type[RequestT], *, sender: str | None = None, opens_room: bool = False
) -> Callable[
    [Callable[[Any, Any, CommandRun], Awaitable[OutputT]]], CommandType[RequestT, OutputT]
]:
    """Declare a method as a command; it takes a `request`, or a model of it with its sender."""

    def declare(
        do: Callable[[Any, Any, CommandRun], Awaitable[OutputT]],
    ) -> CommandType[RequestT, OutputT]:
        messages = get_type_hints(do)
        taken: type[RequestT] = messages["request"]
        assert issubclass(taken, request)  # noqa: S101  else the method is declared wrong
        return CommandType(name, taken, messages["return"], do, sender, opens_room)

    return declare


class IdempotentCommands:
    """Executes the commands that are methods of `rooms`.

    `new_id` returns an id for a command without `requestId`. A command that is repeated while it is
    being executed waits for the end of that.
    """

    def __init__(
        self,
        rooms: object,
        store: Store,
        new_id: Callable[[], str],
        traces: Traces | None = None,
    ) -> None:
        self._traces = traces
        self._rooms = rooms
        self._store = store
        self._new_id = new_id
        self._memory = IdempotencyCache()
        self._running: dict[str, asyncio.Event] = {}
        """What ends with the execution of each command, by key."""
        self._begun: list[set[str]] = []
        """The keys that were executed during each search for unfinished commands."""

    async def once(self, kind: CommandType[RequestT, OutputT], request: RequestT) -> OutputT:
        """Execute a command, or return the stored reply of an earlier execution.

        Raises CommandRefused, and then nothing is stored; REQUEST_ID_REUSED if another command had
        the same id; OwnedElsewhere if another lobby executes it.
        """
        if self._traces is None:
            return await self._once(kind, request)
        room = getattr(request, "room_id", None)
        begun = self._traces.of_request()
        with self._traces.span("room command", parent=begun, command=kind.name, room=room):
            return await self._once(kind, request)

    async def _once(self, kind: CommandType[RequestT, OutputT], request: RequestT) -> OutputT:
        if not kind.is_kept:
            return await kind.do(self._rooms, request, CommandRun("", self._store))
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

    async def resume(self, kind: CommandType[RequestT, OutputT], command: Command) -> OutputT:
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
        self, kind: CommandType[RequestT, OutputT], request: RequestT, request_id: str
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
        self, kind: CommandType[RequestT, OutputT], request: RequestT, command: Command
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
        self, kind: CommandType[RequestT, OutputT], request: RequestT, run: CommandRun
    ) -> OutputT:
        try:
            output = await kind.do(self._rooms, request, run)
        except CommandRefused:  # not StoreFailed: it may have taken effect, and is resumed
            await self._store.commands.drop(run.key)
            raise
        await self._store.commands.finish(run.key, output.model_dump_json())
        return output
