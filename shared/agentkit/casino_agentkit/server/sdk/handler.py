"""Typed calls through the SDK's bindings, for requests that do not take the fast path.

The SDK's classes lose the wrappers of its tracing, while that is off: a wrapper keeps the error
that a method raises in a variable, and the error's traceback keeps the wrapper's frame, so request
and body would stay in memory until a garbage collection.
"""

import sys
from collections.abc import AsyncGenerator
from functools import cache
from types import FunctionType
from typing import Any, Final

from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import Event, EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse,
    ListTasksRequest,
    ListTasksResponse,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
)
from a2a.utils import telemetry
from a2a.utils.errors import (
    ExtensionSupportRequiredError,
    InternalError,
    InvalidParamsError,
    UnsupportedOperationError,
)
from orjson import loads

from casino_agentkit.agent import Agent
from casino_agentkit.authority import caller
from casino_agentkit.entrypoint import Entrypoint
from casino_agentkit.errors import InvalidInput, Violation
from casino_agentkit.protobuf_values import from_value, to_value
from casino_agentkit.protocol import EXTENSION, EXTENSIONS_HEADER, JSON, MessageIds
from casino_agentkit.server import call_execution
from casino_agentkit.server.call_execution import (
    CallFailure,
    CallMetrics,
    FailureKind,
    invalid_input,
)
from casino_agentkit.server.sdk.message_reading import (
    TypedCall,
    UntypedMessage,
    check_input_modes,
    check_typed_call,
    is_json_data,
    read_call,
)
from casino_agentkit.server.sdk.sdk_callers import RecentTasks, admit

_SDK: Final = "a2a."


def untrace() -> None:
    """Take the wrappers off what is imported, unless tracing is on."""
    if not (telemetry.otel_installed and telemetry.otel_enabled):
        _untrace(frozenset(name for name in list(sys.modules) if name.startswith(_SDK)))


@cache  # most agents find the modules of the agent before them
def _untrace(names: frozenset[str]) -> None:
    items = [item for name in names for item in vars(sys.modules[name]).values()]
    for traced in {it for it in items if isinstance(it, type) and it.__module__.startswith(_SDK)}:
        for name, method in list(vars(traced).items()):
            unwrapped: Any = method
            while _is_wrapper(unwrapped):
                unwrapped = unwrapped.__wrapped__
            if unwrapped is not method:
                setattr(traced, name, unwrapped)


def _is_wrapper(method: object) -> bool:
    return (
        isinstance(method, FunctionType)
        and method.__code__.co_filename == telemetry.__file__
        and hasattr(method, "__wrapped__")
    )


_ERRORS: Final = {
    FailureKind.INVALID: InvalidParamsError,
    FailureKind.REFUSED: UnsupportedOperationError,
    FailureKind.FAILED: InternalError,
}
"""The SDK's error for each kind of failure."""


async def run(entrypoint: Entrypoint, data: object, calls: CallMetrics) -> bytes:
    """Return the output's JSON. Raises only A2AError, without internal details."""
    try:
        return await call_execution.run(entrypoint.skill, entrypoint.call(data), calls)
    except CallFailure as failed:
        raise _ERRORS[failed.kind](failed.message, failed.metadata) from failed


def invalid(violations: tuple[Violation, ...]) -> InvalidParamsError:
    failed = invalid_input(violations)
    return InvalidParamsError(failed.message, failed.metadata)


def _untyped(message: Message) -> UntypedMessage:
    """Return a message as JSON values. Raises InvalidInput for numbers that JSON does not have."""
    try:
        return UntypedMessage(
            metadata={key: from_value(value) for key, value in message.metadata.fields.items()},
            data=[from_value(part.data) for part in message.parts if is_json_data(part)],
            texts=[part.text for part in message.parts if part.HasField("text")],
            others=sum(
                not part.HasField("text") and not is_json_data(part) for part in message.parts
            ),
        )
    except ValueError as error:
        raise InvalidInput((Violation("", str(error)),)) from error


class TypedHandler(DefaultRequestHandler):
    """The SDK's request handler: answers typed calls directly, without tasks and queues.

    The agent's rule `tasks_who` is checked before every method of a task; all raise
    UnsupportedOperationError.
    """

    def __init__(self, agent: Agent, card: AgentCard, ids: MessageIds, calls: CallMetrics) -> None:
        self._agent = agent
        self._ids = ids
        self._calls = calls
        untrace()
        push = agent.push
        super().__init__(
            agent_executor=agent.executor or TypedExecutor(self),
            task_store=RecentTasks(),
            agent_card=card,
            push_config_store=push.configs if push else None,
            push_sender=push.sender if push else None,
        )

    async def on_message_send(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> Message | Task:
        """Answer a typed call, or pass the message to the SDK's method."""
        call = self._typed_call(params.message, context)
        if call is not None:
            return await self.answer(call, params.message.context_id or self._ids.next())
        admit(self._agent.tasks_who)
        result: Message | Task = await super().on_message_send(params, context)
        return result

    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """Answer a typed call with a stream of one Message, or stream the SDK's events."""
        call = self._typed_call(params.message, context) if self._agent.streaming else None
        if call is not None:
            yield await self.answer(call, params.message.context_id or self._ids.next())
            return
        admit(self._agent.tasks_who)
        async for event in super().on_message_send_stream(params, context):
            yield event

    async def on_get_extended_agent_card(
        self, params: GetExtendedAgentCardRequest, context: ServerCallContext
    ) -> AgentCard:
        extended = self._agent.extended_card
        if extended is not None:
            admit(extended.who)
            public = AgentCard()
            public.CopyFrom(self._agent_card)
            self.extended_agent_card = extended.extend(public)
        card: AgentCard = await super().on_get_extended_agent_card(params, context)
        return card

    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task | None:
        admit(self._agent.tasks_who)
        task: Task | None = await super().on_get_task(params, context)
        return task

    async def on_list_tasks(
        self, params: ListTasksRequest, context: ServerCallContext
    ) -> ListTasksResponse:
        """Return the caller's tasks; of one without a token behind a proxy, none."""
        admit(self._agent.tasks_who)
        sender = caller()
        if sender.is_forwarded and not sender.token:
            return ListTasksResponse(page_size=params.page_size)
        tasks: ListTasksResponse = await super().on_list_tasks(params, context)
        return tasks

    async def on_cancel_task(
        self, params: CancelTaskRequest, context: ServerCallContext
    ) -> Task | None:
        admit(self._agent.tasks_who)
        task: Task | None = await super().on_cancel_task(params, context)
        return task

    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        admit(self._agent.tasks_who)
        async for event in super().on_subscribe_to_task(params, context):
            yield event

    async def on_create_task_push_notification_config(
        self, params: TaskPushNotificationConfig, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        """Keep an address that gets a task's updates."""
        admit(self._agent.tasks_who)
        kept: TaskPushNotificationConfig = await super().on_create_task_push_notification_config(
            params, context
        )
        return kept

    async def on_get_task_push_notification_config(
        self, params: GetTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        admit(self._agent.tasks_who)
        kept: TaskPushNotificationConfig = await super().on_get_task_push_notification_config(
            params, context
        )
        return kept

    async def on_list_task_push_notification_configs(
        self, params: ListTaskPushNotificationConfigsRequest, context: ServerCallContext
    ) -> ListTaskPushNotificationConfigsResponse:
        admit(self._agent.tasks_who)
        kept: ListTaskPushNotificationConfigsResponse = (
            await super().on_list_task_push_notification_configs(params, context)
        )
        return kept

    async def on_delete_task_push_notification_config(
        self, params: DeleteTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> None:
        admit(self._agent.tasks_who)
        await super().on_delete_task_push_notification_config(params, context)

    def _typed_call(self, message: Message, context: ServerCallContext) -> TypedCall | None:
        """Return the typed call in a message, None if the SDK's method handles the message.

        Messages that lack a required field, or follow up on a task, go to the SDK's method. It
        checks required fields, which is slow, because it walks the whole data part.
        Raises A2AError for a message that neither can handle.
        """
        if not (message.message_id and message.role == Role.ROLE_USER and message.parts):
            return None
        missing = {
            extension.uri for extension in self._agent.required_extensions
        } - context.requested_extensions
        if missing:
            raise ExtensionSupportRequiredError(
                f"activate {', '.join(sorted(missing))} in the header {EXTENSIONS_HEADER}"
            )
        if message.task_id:
            check_input_modes(message, self._agent)
            return None
        call = self.read(message)
        if call is None and self._agent.executor is None:
            raise self.not_typed()
        return call

    def read(self, message: Message) -> TypedCall | None:
        """Read a message. Raises InvalidParamsError, ContentTypeNotSupportedError."""
        try:
            call = read_call(_untyped(message), self._agent)
        except InvalidInput as error:
            check_typed_call(message)
            raise invalid(error.violations) from error
        if self._agent.executor is None:
            check_typed_call(message)
        elif call is None:
            check_input_modes(message, self._agent)
        return call

    async def answer(self, call: TypedCall, context_id: str) -> Message:
        output = loads(await run(call.entrypoint, call.data, self._calls))
        return Message(
            message_id=self._ids.next(),
            context_id=context_id,
            role=Role.ROLE_AGENT,
            extensions=[EXTENSION],
            parts=[Part(data=to_value(output), media_type=JSON)],
        )

    def not_typed(self) -> InvalidParamsError:
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
        raise UnsupportedOperationError
