"""Typed calls through every binding of the SDK, for whatever the fast path does not take."""

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
    """Return the output's JSON; raises only A2AError, and puts no internals into it."""
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
        # A fault of ours: the caller learns that it was not his, the log learns the rest.
        logger.exception("the entrypoint %s failed", entrypoint.skill)
        raise InternalError("the entrypoint failed; the fault is not in the call") from error
    else:
        return output
    finally:
        calls.count(entrypoint.skill, outcome, calls.clock() - began_at)


def invalid(violations: tuple[Violation, ...]) -> InvalidParamsError:
    """Return the error that names each fault of an input as path and description."""
    told = "; ".join(f"{fault.field or 'input'}: {fault.message}" for fault in violations[:3])
    more = f"; and {len(violations) - 3} more" if len(violations) > 3 else ""  # noqa: PLR2004  three fit a line
    return InvalidParamsError(f"invalid input: {told}{more}", {"errors": _entries(violations)})


def _entries(violations: tuple[Violation, ...]) -> list[dict[str, str]]:
    return [{"field": fault.field, "message": fault.message} for fault in violations]


class TypedHandler(DefaultRequestHandler):
    """The SDK's request handler, which answers typed calls at once, without Task and queues."""

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
        """Answer a typed call, or hand the message to the stock method.

        The stock method checks required fields, this one does not (that check walks the whole data
        part): so a message that lacks one, or follows up on a task, goes there.
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
        """Return the typed call in a message, None if it is none; raises InvalidParamsError."""
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
        """Return the error for a message that no entrypoint can answer."""
        skills = ", ".join(self._agent.entrypoints)
        return InvalidParamsError(
            f"this agent answers typed calls: send one data part, name the extension {EXTENSION},"
            f" and put the skill ({skills}) into the message's metadata under that name"
        )


class TypedExecutor(AgentExecutor):
    """What the stock handler runs where no executor is attached: a typed call, or a clear no."""

    def __init__(self, handler: TypedHandler) -> None:
        self._handler = handler

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Answer with one Message and nothing else, so that no Task is made."""
        call = self._handler.read(context.message) if context.message else None
        if call is None:
            raise self._handler.not_typed()
        await event_queue.enqueue_event(await self._handler.answer(call, context.context_id or ""))

    async def cancel(self, _context: RequestContext, _event_queue: EventQueue) -> None:
        """Refuse: there is never anything to cancel."""
        raise UnsupportedOperationError
