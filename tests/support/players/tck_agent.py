"""An agent for the A2A conformance kit (TCK), served by our agent kit with all it offers.

`python -m support.players.tck_agent PORT GRPC_PORT`; it acts by the prefix of a message's id.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import (
    TaskUpdater,
)
from a2a.types import (
    AgentSkill,
    Part,
    Task,
    TaskState,
    TaskStatus,
)
from casino_agentkit import ANYONE, Agent, HttpTransport, OutgoingPolicy, Service, serve
from casino_agentkit.agent import ExtendedCard
from casino_agentkit.server.server_limits import GrpcListener
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Value

from support.push import push_over

MODES = ("text/plain", "application/json")
SKILL = AgentSkill(id="tck", name="TCK", description="Answers the kit.", tags=["tck"])
DATA = ParseDict({"key": "value", "count": 42}, Value())

Act = Callable[[TaskUpdater], Awaitable[None]]


def in_file(*, url: str | None = None, raw: bytes | None = None) -> Part:
    return Part(url=url, raw=raw, media_type="text/plain", filename="output.txt")


def artifact(part: Part, *, works: bool = False) -> Act:
    """Return an action: one artifact, then completed."""

    async def act(updater: TaskUpdater) -> None:
        if works:
            await updater.start_work()
        await updater.add_artifact([part])
        await updater.complete()

    return act


async def chunked(updater: TaskUpdater) -> None:
    await updater.start_work()
    await updater.add_artifact([Part(text="chunk-1 ")], artifact_id="c", append=False)
    await updater.add_artifact(
        [Part(text="chunk-2")], artifact_id="c", append=True, last_chunk=True
    )
    await updater.complete()


async def resubscribed(updater: TaskUpdater) -> None:
    """Work so long that the kit can subscribe again."""
    await updater.start_work()
    await asyncio.sleep(4)  # plays: an agent that works
    await updater.complete()


async def completed(updater: TaskUpdater) -> None:
    await updater.complete(updater.new_agent_message([Part(text="Hello from TCK")]))


ACTIONS: dict[str, Act] = {
    "tck-complete-task": completed,
    "tck-artifact-text": artifact(Part(text="Generated text content", media_type="text/plain")),
    "tck-artifact-file-url": artifact(in_file(url="https://example.com/output.txt")),
    "tck-artifact-file": artifact(in_file(raw=b"tck")),
    "tck-artifact-data": artifact(Part(data=DATA)),
    "tck-input-required": lambda updater: updater.requires_input(),
    "tck-reject-task": lambda updater: updater.reject(),
    "tck-stream-001": artifact(Part(text="Stream hello from TCK"), works=True),
    "tck-stream-002": lambda updater: updater.complete(),
    "tck-stream-003": artifact(Part(text="Stream task lifecycle"), works=True),
    "tck-stream-ordering-001": artifact(Part(text="Ordered output"), works=True),
    "tck-stream-artifact-text": artifact(Part(text="Streamed text content"), works=True),
    "tck-stream-artifact-file": artifact(in_file(raw=b"tck"), works=True),
    "tck-stream-artifact-chunked": chunked,
    "test-resubscribe-message-id": resubscribed,
}


class TckExecutor(AgentExecutor):
    """Acts by the prefix of a message's id."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message, task = context.message, context.current_task
        assert message
        assert context.task_id
        # A follow-up without a context is in that of its task (a2a-python#1206).
        context_id = task.context_id if task else context.context_id
        assert context_id
        updater = TaskUpdater(event_queue, context.task_id, context_id)
        if message.message_id.startswith("tck-message-response"):
            said = updater.new_agent_message([Part(text="Direct message response")])
            said.ClearField("task_id")
            await event_queue.enqueue_event(said)
            return
        if task is None:
            status = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
            created = Task(id=context.task_id, context_id=context_id, status=status)
            created.history.append(message)
            await event_queue.enqueue_event(created)
        matching = [name for name in ACTIONS if message.message_id.startswith(name)]
        act = ACTIONS[max(matching, key=len)] if matching else completed
        await (completed if task else act)(updater)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.task_id
        assert context.context_id
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def serve_kit(port: int, grpc_port: int) -> None:
    """Serve the agent with our agent kit, all of it."""

    def build(url: str) -> Service:
        agent = Agent(
            "TCK",
            "Answers the kit.",
            executor=TckExecutor(),
            streaming=True,
            input_modes=MODES,
            output_modes=MODES,
            skills=[SKILL],
            push=push_over(HttpTransport(OutgoingPolicy())),
            extended_card=ExtendedCard(ANYONE, lambda card: card),
        )
        # The kit's schema of a card admits no other fields, so not those of 0.3.
        return Service({"": agent}, public_url=url, a2a_03=False)

    serve(build, host="127.0.0.1", port=port, grpc=GrpcListener(grpc_port))


def main() -> None:
    serve_kit(*map(int, sys.argv[1:]))


if __name__ == "__main__":
    main()
