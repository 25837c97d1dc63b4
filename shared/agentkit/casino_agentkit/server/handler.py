"""Typed calls through the SDK's bindings, for requests that do not take the fast path."""

import logging

from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCard, Message, Part, Role, SendMessageRequest, Task
from a2a.utils.errors import (
    A2AError,
    InternalError,
    InvalidParamsError,
    UnsupportedOperationError,
)
from orjson import loads

from casino_agentkit.agent import Agent
from casino_agentkit.entrypoint import Entrypoint, InvalidInput
from casino_agentkit.errors import CommandRefused, Violation
from casino_agentkit.metrics import CallMetrics, CallOutcome
from casino_agentkit.protobuf_values import from_value, to_value
from casino_agentkit.protocol import EXTENSION, JSON, MessageIds
from casino_agentkit.server.typed_call import TypedCall, UntypedMessage, read_call

logger = logging.getLogger(__name__)


async def run(entrypoint: Entrypoint, data: object, calls: CallMetrics) -> bytes:
    """Run an entrypoint and return its output as JSON.

    Raises only A2AError, without internal details.
    """
    began_at = calls.clock()
    outcome: CallOutcome = "failed"
    try:
        output = await entrypoint.call(data)
        outcome = "ok"
    except InvalidInput as error:
        outcome = "invalid"
        raise invalid(error.violations) from error
    except CommandRefused as refusal:
        outcome = "refused"
        metadata: dict[str, object] = {**refusal.details, "reason": refusal.reason}
        if refusal.violations:
            metadata["errors"] = _entries(refusal.violations)
        raise UnsupportedOperationError(refusal.message, metadata) from refusal
    except A2AError:
        raise
    except Exception as error:
        # An internal error: the details go to the log only.
        logger.exception("the entrypoint %s failed", entrypoint.skill)
        raise InternalError("the entrypoint failed; the fault is not in the call") from error
    else:
        return output
    finally:
        calls.count(entrypoint.skill, outcome, calls.clock() - began_at)


def invalid(violations: tuple[Violation, ...]) -> InvalidParamsError:
    """Return the error for an invalid input, with the path and description of each fault."""
    listed = "; ".join(f"{fault.field or 'input'}: {fault.message}" for fault in violations[:3])
    more = f"; and {len(violations) - 3} more" if len(violations) > 3 else ""  # noqa: PLR2004  three fit a line
    return InvalidParamsError(f"invalid input: {listed}{more}", {"errors": _entries(violations)})


def _entries(violations: tuple[Violation, ...]) -> list[dict[str, str]]:
    return [{"field": fault.field, "message": fault.message} for fault in violations]


class TypedHandler(DefaultRequestHandler):
    """The SDK's request handler, which answers typed calls directly, without tasks and queues."""

    def __init__(self, agent: Agent, card: AgentCard, ids: MessageIds, calls: CallMetrics) -> None:
        self._agent = agent
        self._ids = ids
        self._calls = calls
        super().__init__(
            agent_executor=agent.executor or TypedExecutor(self),
            task_store=InMemoryTaskStore(),
            agent_card=card,
        )

    async def on_message_send(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> Message | Task:
        """Answer a typed call, or pass the message to the SDK's method.

        Messages that lack a required field, or follow up on a task, go to the SDK's method. It
        checks required fields, which is slow, because it walks the whole data part.
        """
        message = params.message
        complete = message.message_id and message.role == Role.ROLE_USER and message.parts
        if complete and not message.task_id:
            call = self.read(message)
            if call is not None:
                return await self.answer(call, message.context_id or self._ids.next())
            if self._agent.executor is None:
                raise self.not_typed()
        result: Message | Task = await super().on_message_send(params, context)
        return result

    def read(self, message: Message) -> TypedCall | None:
        """Return the typed call in a message, None if there is none. Raises InvalidParamsError."""
        untyped = UntypedMessage(
            metadata={key: from_value(value) for key, value in message.metadata.fields.items()},
            data=[
                from_value(part.data)
                for part in message.parts
                if part.HasField("data") and part.media_type in ("", JSON)
            ],
            texts=[part.text for part in message.parts if part.HasField("text")],
            others=sum(
                part.HasField("raw")
                or part.HasField("url")
                or (part.HasField("data") and part.media_type not in ("", JSON))
                for part in message.parts
            ),
        )
        try:
            return read_call(untyped, self._agent)
        except InvalidInput as error:
            raise invalid(error.violations) from error

    async def answer(self, call: TypedCall, context_id: str) -> Message:
        """Run the call and return its reply."""
        output = loads(await run(call.entrypoint, call.data, self._calls))
        return Message(
            message_id=self._ids.next(),
            context_id=context_id,
            role=Role.ROLE_AGENT,
            extensions=[EXTENSION],
            parts=[Part(data=to_value(output), media_type=JSON)],
        )

    def not_typed(self) -> InvalidParamsError:
        """Return the error for a message that is not a typed call."""
        skills = ", ".join(self._agent.entrypoints)
        return InvalidParamsError(
            f"this agent answers typed calls: send one data part, name the extension {EXTENSION},"
            f" and put the skill ({skills}) into the message's metadata under that name"
        )


class TypedExecutor(AgentExecutor):
    """The SDK handler's executor for agents without one: answers typed calls, refuses others."""

    def __init__(self, handler: TypedHandler) -> None:
        self._handler = handler

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer with a single Message, so that no Task is created."""
        call = self._handler.read(context.message) if context.message else None
        if call is None:
            raise self._handler.not_typed()
        await event_queue.enqueue_event(await self._handler.answer(call, context.context_id or ""))

    async def cancel(self, _context: RequestContext, _event_queue: EventQueue) -> None:
        """Refuse: typed calls cannot be cancelled."""
        raise UnsupportedOperationError
