"""Typed calls through the SDK's bindings, for requests that do not take the fast path.

The SDK's classes lose the wrappers of its tracing, while that is off: a wrapper keeps the error
that a method raises in a variable, and the error's traceback keeps the wrapper's frame, so request
and body would stay in memory until a garbage collection.
"""

import sys
from collections.abc import AsyncGenerator, Container, Sequence
from types import FunctionType
from typing import Any, Final

from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import Event, EventQueue
from a2a.types import (
    AgentCard,
    GetExtendedAgentCardRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    Task,
)
from a2a.utils import telemetry
from a2a.utils.errors import (
    ContentTypeNotSupportedError,
    ExtensionSupportRequiredError,
    InternalError,
    InvalidParamsError,
    UnsupportedOperationError,
)
from orjson import loads

from casino_agentkit.agent import Agent
from casino_agentkit.bounds import shown
from casino_agentkit.call_metrics import CallMetrics
from casino_agentkit.entrypoint import Entrypoint
from casino_agentkit.errors import InvalidInput, Violation
from casino_agentkit.protobuf_values import from_value, to_value
from casino_agentkit.protocol import EXTENSION, EXTENSIONS_HEADER, JSON, TEXT, MessageIds
from casino_agentkit.server.calls import dispatch
from casino_agentkit.server.calls.dispatch import (
    CallFailure,
    FailureKind,
    TypedCall,
    UntypedMessage,
    invalid_input,
    read_call,
)
from casino_agentkit.server.sdk.guarded_tasks import GuardedTasks, admit

_SDK: Final = "a2a."


def untrace() -> None:
    """Take the wrappers off what is imported, unless tracing is on."""
    if telemetry.otel_installed and telemetry.otel_enabled:
        return
    modules = [vars(module) for name, module in list(sys.modules.items()) if name.startswith(_SDK)]
    members = [item for names in modules for item in names.values() if isinstance(item, type)]
    for traced in {item for item in members if item.__module__.startswith(_SDK)}:
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


_SHOWN: Final = 100
_TYPED: Final = {"data": {JSON}, "text": {JSON, TEXT}}
"""What the input of a typed call may be, by kind of part: JSON, as data or written as text."""


def check_typed_call(message: Message) -> None:
    """Check the parts of a message to entrypoints; a part without a stated type is not checked.

    Raises ContentTypeNotSupportedError, which names the accepted type.
    """
    for part in message.parts:
        if part.media_type:
            _check(part, _TYPED.get(part.WhichOneof("content") or "", ()), [JSON])


def check_input_modes(message: Message, agent: Agent) -> None:
    """Check the parts of a message to an executor, which takes the agent's input modes.

    A part without a stated type is not checked. `image/*` and `*/*` in the modes are families.
    Raises ContentTypeNotSupportedError, which names the accepted types.
    """
    modes = {_plain(mode) for mode in agent.input_modes}
    for part in message.parts:
        if part.media_type and "*/*" not in modes:
            family = _plain(part.media_type).partition("/")[0] + "/*"
            if family not in modes:
                _check(part, modes, agent.input_modes)


def is_json_data(part: Part) -> bool:
    """Return whether a part is JSON data."""
    return part.HasField("data") and (not part.media_type or _plain(part.media_type) == JSON)


def check_body_type(content_type: str) -> None:
    """Check the declared type of a body that cannot be read as JSON.

    Raises ContentTypeNotSupportedError if it is declared to be something else.
    """
    stated = _plain(content_type)
    if stated and stated != JSON and not stated.endswith("+json"):
        raise _not_supported(content_type, [JSON])


def _check(part: Part, accepted: Container[str], named: Sequence[str]) -> None:
    if _plain(part.media_type) not in accepted:
        raise _not_supported(part.media_type, named)


def _not_supported(stated: str, accepted: Sequence[str]) -> ContentTypeNotSupportedError:
    return ContentTypeNotSupportedError(
        f"the media type {shown(stated, _SHOWN)} is not supported; send {' or '.join(accepted)}"
    )


def _plain(media_type: str) -> str:
    """Return a media type without its parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


_ERRORS: Final = {
    FailureKind.INVALID: InvalidParamsError,
    FailureKind.REFUSED: UnsupportedOperationError,
    FailureKind.FAILED: InternalError,
}
"""The SDK's error for each kind of failure."""


async def run(entrypoint: Entrypoint, data: object, calls: CallMetrics) -> bytes:
    """Run an entrypoint and return its output as JSON.

    Raises only A2AError, without internal details.
    """
    try:
        return await dispatch.run(entrypoint.skill, entrypoint.call(data), calls)
    except CallFailure as failed:
        raise _ERRORS[failed.kind](failed.message, failed.metadata) from failed


def invalid(violations: tuple[Violation, ...]) -> InvalidParamsError:
    """Return the error for an invalid input, with the path and description of each fault."""
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


class TypedHandler(GuardedTasks):
    """The SDK's request handler, which answers typed calls directly, without tasks and queues."""

    def __init__(self, agent: Agent, card: AgentCard, ids: MessageIds, calls: CallMetrics) -> None:
        self._agent = agent
        self._ids = ids
        self._calls = calls
        untrace()
        executor = agent.executor or TypedExecutor(self)
        super().__init__(agent.tasks_who, executor, card, agent.push)

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
        """Return the extended card to a caller that its rule admits."""
        extended = self._agent.extended_card
        if extended is not None:
            admit(extended.who)
            public = AgentCard()
            public.CopyFrom(self._agent_card)
            self.extended_agent_card = extended.extend(public)
        card: AgentCard = await super().on_get_extended_agent_card(params, context)
        return card

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
        """Return the typed call in a message, None if there is none.

        Raises InvalidParamsError, ContentTypeNotSupportedError.
        """
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
