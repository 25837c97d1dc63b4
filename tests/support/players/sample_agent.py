"""An agent with nothing of poker: the kit must not need any.

`python -m support.players.sample_agent [--supervised] [how]` serves it, perhaps with a fault.
"""

import asyncio
import resource
import sys
import threading
from pathlib import Path
from typing import Annotated

from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Part, Task, TaskState, TaskStatus
from casino_agentkit import (
    ANYONE,
    Agent,
    CommandRefused,
    IdempotencyCache,
    Service,
    Violation,
    configure_logs,
    serve,
)
from casino_agentkit.server.server_limits import DEFAULT_LIMITS
from casino_contracts.numbers import whole
from pydantic import BaseModel, Field
from starlette.types import ASGIApp


class Order(BaseModel):
    """What a guest wants."""

    dish: str = Field(min_length=1)
    plates: Annotated[int, whole(1, 2**53 - 1)]
    extras: list[str] = []
    request_id: str | None = Field(default=None, alias="requestId")
    hurry_ms: int | None = Field(default=None, alias="hurryMs")


class Bill(BaseModel):
    """What it costs."""

    dish: str
    total: int
    number: int


class Question(BaseModel):
    """Something else, with other required keys."""

    topic: str


class Reply(BaseModel):
    """An answer to it."""

    text: str


class SampleAgent:
    """Counts what it cooks, so that tests see what was really asked of it."""

    def __init__(
        self, *, infers_skill: bool = False, memory: IdempotencyCache | None = None
    ) -> None:
        self.cooked = 0
        self.agent = Agent("SampleAgent", "Cooks.", infers_skill=infers_skill, tags=("food",))
        self.agent.entrypoint("order", who=ANYONE, memory=memory)(self.order)
        self.agent.entrypoint("ask", who=ANYONE)(self.ask)

    async def order(self, order: Order) -> Bill:
        """Cook a dish.

        Refuses fish, and burns soup.
        """
        if order.dish == "fish":
            raise CommandRefused("NO_FISH", "There is no fish today; order soup.")
        if order.dish == "stew":
            raise CommandRefused(
                "BAD_EXTRAS",
                "Stew takes no extras.",
                (Violation("extras.0", "must go"),),
                {"instead": "soup"},
            )
        if order.dish == "fire":
            raise RuntimeError("secret recipe on fire")
        self.cooked += 1
        return Bill(dish=order.dish, total=order.plates, number=self.cooked)

    def ask(self, question: Question) -> Reply:
        """Answer a question."""
        return Reply(text=f"about {question.topic}")

    def app(self) -> ASGIApp:
        return Service({"": self.agent}).asgi()


class Waiter(AgentExecutor):
    """A Task-based A2A agent: works, and brings an artifact."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.task_id
        assert context.context_id
        status = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
        await event_queue.enqueue_event(
            Task(id=context.task_id, context_id=context.context_id, status=status)
        )
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        await updater.add_artifact([Part(text=f"served: {context.get_user_input()}")])
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError


def main() -> None:
    """Serve a sample agent on a free port; the last argument names its fault."""
    how = sys.argv[-1]
    configure_logs("sample")
    if how.startswith("few-files"):
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    def build(url: str) -> Service:
        if how == "crash":
            raise RuntimeError("cannot start")
        if how == "never":
            threading.Event().wait()

        async def drain() -> None:
            if how.startswith("drain:"):
                mark = Path(how.removeprefix("drain:"))
                await asyncio.to_thread(mark.write_text, "drained")
            if how == "hang":
                threading.Event().wait()  # a loop that hangs is what is tested

        return Service({"": SampleAgent().agent}, public_url=url, drain=drain)

    limits = None if how == "few-files-unlimited" else DEFAULT_LIMITS
    serve(build, host="127.0.0.1", port=0, supervised="--supervised" in sys.argv, limits=limits)


if __name__ == "__main__":
    main()
