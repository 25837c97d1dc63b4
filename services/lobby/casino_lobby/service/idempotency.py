"""Commands that are carried out once, whatever is lost on the way.

A command is written down before anybody is asked for anything, and its answer before it is given.
So whoever lost the answer asks again, by the same `requestId`, and gets it; and what a crash
interrupted is carried on after the restart.
"""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from casino_agentkit import CommandRefused, IdempotencyCache, Violation
from casino_contracts import WireModel

from casino_lobby.store import Command, Store, StoreFailed

InputT = TypeVar("InputT", bound=WireModel)
OutputT = TypeVar("OutputT", bound=WireModel)

_LONGEST_ID = 256


@dataclass
class CommandRun:
    """One command under way, and what was fixed before it was sent on."""

    key: str
    store: Store
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def request_id(self) -> str:
        """The id by which the command is sent on: the same every time, and not too long."""
        if len(self.key) <= _LONGEST_ID:
            return self.key
        return hashlib.blake2b(self.key.encode(), digest_size=16).hexdigest()

    async def note(self, **notes: str) -> None:
        """Fix something, so that carrying on after a crash is doing the same."""
        self.notes.update(notes)
        await self.store.note(self.key, notes)


@dataclass(frozen=True)
class CommandType(Generic[InputT, OutputT]):
    """A kind of command: its name, its words, and who carries it out."""

    name: str
    given: type[InputT]
    output: type[OutputT]
    do: Callable[[InputT, CommandRun], Awaitable[OutputT]]


class IdempotentCommands:
    """The commands of a lobby; `new_id` names those whose caller gave them no name."""

    def __init__(self, store: Store, new_id: Callable[[], str]) -> None:
        self._store = store
        self._new_id = new_id
        self._memory = IdempotencyCache()

    async def once(self, kind: CommandType[InputT, OutputT], given: InputT) -> OutputT:
        """Carry a command out, or return the answer it got when it was sent before.

        Raises CommandRefused, and then nothing is kept; REQUEST_ID_REUSED for the id of another
        command.
        """
        data = given.model_dump()
        key = self._memory.key(kind.name, data)
        if key is None:
            return await self._carry_out(kind, given, self._new_id())
        return await self._memory.answer(
            key, lambda: self._carry_out(kind, given, str(data["requestId"]))
        )

    async def carry_on(self, kind: CommandType[InputT, OutputT], command: Command) -> OutputT:
        """Carry out what a crash interrupted."""
        given = kind.given.model_validate_json(command.given)
        intent = CommandRun(command.key, self._store, dict(command.notes))
        return await self._finish(kind, given, intent)

    async def _carry_out(
        self, kind: CommandType[InputT, OutputT], given: InputT, request_id: str
    ) -> OutputT:
        text = given.model_dump_json()
        digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        command = Command(f"{kind.name}/{request_id}", kind.name, digest, text)
        known = await self._store.intend(command)
        if known.digest != digest:
            raise CommandRefused(
                "REQUEST_ID_REUSED",
                f"The requestId {request_id} was given to another {kind.name}; choose a new one.",
                (Violation("requestId", "a new one for every new command"),),
            )
        if known.answer is not None:
            return kind.output.model_validate_json(known.answer)
        return await self._finish(
            kind, given, CommandRun(known.key, self._store, dict(known.notes))
        )

    async def _finish(
        self, kind: CommandType[InputT, OutputT], given: InputT, intent: CommandRun
    ) -> OutputT:
        try:
            output = await kind.do(given, intent)
        except StoreFailed:  # it may have been done: it is carried on after a restart
            raise
        except CommandRefused:
            await self._store.drop(intent.key)
            raise
        await self._store.finish(intent.key, output.model_dump_json())
        return output
