"""An agent whose entrypoints do what a test asks for, and that notes what it was called."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated, Any

from casino_agentkit import ANYONE, Agent, CommandRefused, IdempotencyCache, caller
from casino_contracts.numbers import whole
from pydantic import BaseModel, Field

_LAST: ContextVar[str] = ContextVar("last", default="nothing")
"""What the call before has set, if it leaks."""


class Ask(BaseModel):
    text: str = Field(default="", max_length=100_000)
    amount: Annotated[int, whole(0, 2**53 - 1)] | None = None
    request_id: str | None = Field(default=None, alias="requestId")
    hurry_ms: Annotated[int, whole(0, 2**53 - 1)] | None = Field(default=None, alias="hurryMs")


class Answer(BaseModel):
    """What is answered."""

    text: str
    number: int


class PlainAgent:
    """Its skills are the names of its methods; `ran` counts how often each ran."""

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()
        self.go = asyncio.Event()
        """Lets slow calls end."""
        self.waiting = 0
        self.ended = 0
        """Slow calls that have begun, and that have ended."""
        self.agent = Agent("PlainAgent", "Answers.")
        quick = ("quick", "refuse", "fail", "who", "context", "cancel", "leave")
        for name in quick:
            self._declare(name, is_quick=True)
        for name in ("prompt", "slow", "thread", "limited", "grouped"):
            self._declare(name)
        for name in ("refuse", "fail", "who", "context", "cancel", "leave"):
            self._declare(name, skill=f"{name}_later", function=self._later(getattr(self, name)))
        self._declare("quick", skill="known", is_quick=True, memory=self._memory())
        self._declare("prompt", skill="known_later", memory=self._memory())

    def is_waiting(self, count: int) -> bool:
        """Return whether so many slow calls wait."""
        return self.waiting - self.ended == count

    @staticmethod
    def _memory() -> IdempotencyCache:
        return IdempotencyCache(ignoring=("hurryMs",), size=8)

    def _declare(self, name: str, *, skill: str = "", function: Any = None, **options: Any) -> None:
        declare = self.agent.entrypoint(skill or name, who=ANYONE, **options)
        declare(function or getattr(self, name))

    @staticmethod
    def _later(function: Callable[[Ask], Answer]) -> Any:
        """Return a quick function as one that waits a turn of the loop."""

        async def later(ask: Ask) -> Answer:
            await asyncio.sleep(0)
            return function(ask)

        return later

    def _answer(self, skill: str, text: str) -> Answer:
        self.ran[skill] += 1
        return Answer(text=text, number=self.ran[skill])

    def quick(self, ask: Ask) -> Answer:
        return self._answer("quick", ask.text)

    async def prompt(self, ask: Ask) -> Answer:
        """Answer in a task, without waiting."""
        return self._answer("prompt", ask.text)

    async def slow(self, ask: Ask) -> Answer:
        self.waiting += 1
        try:
            await self.go.wait()
        finally:
            self.ended += 1
        return self._answer("slow", ask.text)

    def thread(self, ask: Ask) -> Answer:
        return self._answer("thread", ask.text)

    def refuse(self, _ask: Ask) -> Answer:
        self.ran["refuse"] += 1
        raise CommandRefused("NOT_NOW", "Not now; ask later.", details={"when": "later"})

    def fail(self, _ask: Ask) -> Answer:
        self.ran["fail"] += 1
        raise RuntimeError("a secret of this process")

    def cancel(self, _ask: Ask) -> Answer:
        """End as a cancelled call does."""
        self.ran["cancel"] += 1
        raise asyncio.CancelledError

    def leave(self, _ask: Ask) -> Answer:
        """End the process, as careless code does."""
        self.ran["leave"] += 1
        raise SystemExit(3)

    def who(self, _ask: Ask) -> Answer:
        return self._answer("who", " ".join(map(repr, caller())))

    def context(self, ask: Ask) -> Answer:
        """Tell what the context has, and leave something in it."""
        before = _LAST.get()
        _LAST.set(ask.text)
        return self._answer("context", before)

    async def limited(self, ask: Ask) -> Answer:
        """Wait for ever, in a time limit."""
        try:
            async with asyncio.timeout(0.01):  # virtual: of the call itself
                await asyncio.Event().wait()
        except TimeoutError:
            return self._answer("limited", f"late {ask.text}")
        raise AssertionError

    async def grouped(self, ask: Ask) -> Answer:
        """Wait for tasks, which know the caller."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._called(ask.text)) for _ in range(3)]
        is_task = asyncio.current_task() is not None
        return self._answer("grouped", f"{is_task} {' '.join(task.result() for task in tasks)}")

    @staticmethod
    async def _called(text: str) -> str:
        await asyncio.sleep(0)
        return text + caller().token
