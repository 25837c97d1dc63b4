"""Typed entrypoint: a skill with its input and output models, function and rule.

All bindings call `Entrypoint.call`, so that validation and authorisation are the same for each.
Hot messages are read from their JSON faster than by the models that define them. A hot reader takes
only what its model takes, with the same values, and refuses everything that it cannot read exactly.
What it refuses is read by the model, so the verdict is always the model's.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar, get_type_hints

import orjson
from pydantic import TypeAdapter, ValidationError

from casino_agentkit.accepted_json import carried, may_change
from casino_agentkit.authority import Caller, Rule, caller
from casino_agentkit.errors import InvalidInput
from casino_agentkit.idempotency_cache import IdempotencyCache, Key
from casino_agentkit.violations import violations_of

MessageT = TypeVar("MessageT")
MessageT_co = TypeVar("MessageT_co", covariant=True)


class HotInput(Protocol[MessageT_co]):
    """Reads the input of an entrypoint whose calls are many."""

    @property
    def model(self) -> Any:
        """The annotation of the model, which decides and which has the schema."""

    def read(self, data: bytes) -> MessageT_co:
        """Raise ValueError where the model must read it: nested too deep, values of free form."""

    def of_model(self, message: Any) -> MessageT_co:
        """Return the message that the model has read."""


@dataclass(frozen=True, slots=True)
class HotOutput(Generic[MessageT]):
    """How the answer of an agent is read: by `read`, or where that refuses, by the model."""

    model: type[MessageT]
    read: Callable[[bytes], MessageT]  # returns the message in JSON; raises ValueError


def model_of(output: type[MessageT] | HotOutput[MessageT]) -> type[MessageT]:
    """Return the model of an output, which is the output itself unless it is hot."""
    return output.model if isinstance(output, HotOutput) else output


_MODELS: Final = 256  # annotations whose adapter and schema are kept; a process has a few dozen


class ReadInput(NamedTuple):
    """An input read from JSON, `data`: the hot input's message, or values for the model."""

    content: Any
    data: bytes
    is_message: bool


@dataclass(frozen=True, slots=True)
class LargeBody:
    """Says that a request may have more than `INPUT_LIMIT` bytes.

    `may_send` tells of a caller, before the body is read, whether it is one who may send so many.
    """

    most_bytes: int
    may_send: Callable[[Caller], bool]


@dataclass(frozen=True)
class Entrypoint:
    """A skill with typed input and output."""

    skill: str
    description: str
    input: TypeAdapter[Any]
    output: TypeAdapter[Any]
    run: Callable[[Any], Awaitable[Any]]
    who: Rule
    memory: IdempotencyCache | None = None
    hot: HotInput[Any] | None = None
    compute: Callable[[Any], Any] | None = None
    """The function itself, if it may be called in the event loop, without a task."""
    large: LargeBody | None = None
    token_in_name: bool = False
    """Whether it can be invoked by a name that carries the caller's token."""

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        skill: str,
        *,
        who: Rule,
        memory: IdempotencyCache | None = None,
        hot: HotInput[Any] | None = None,
        is_quick: bool = False,
        large: LargeBody | None = None,
        token_in_name: bool = False,
    ) -> "Entrypoint":
        """Create an entrypoint from a function with one annotated parameter and return type.

        A synchronous function runs in a worker thread, so that it does not block the event loop,
        unless it `is_quick`. With `hot`, the function gets what that reads; the schema is that of
        its model.
        Raises TypeError if annotations are missing, or if a quick function is asynchronous.
        """
        name = getattr(function, "__qualname__", repr(function))
        parameters = [
            parameter
            for parameter in inspect.signature(function).parameters.values()
            if parameter.default is parameter.empty
        ]
        hints = get_type_hints(function, include_extras=True)
        if len(parameters) != 1 or parameters[0].name not in hints or "return" not in hints:
            raise TypeError(
                f"{name} must have one annotated parameter and a return annotation,"
                f" as in: async def {skill}(request: Input) -> Output"
            )
        if inspect.iscoroutinefunction(function):
            if is_quick:
                raise TypeError(f"{name} is asynchronous, and so not quick")
            run = function
        elif is_quick:

            async def run(message: Any) -> Any:
                return function(message)
        else:

            async def run(message: Any) -> Any:
                return await asyncio.to_thread(function, message)

        return cls(
            skill=skill,
            description=inspect.cleandoc(function.__doc__ or skill).partition("\n")[0],
            input=adapter_of(hints[parameters[0].name] if hot is None else hot.model),
            output=adapter_of(hints["return"]),
            run=run,
            who=who,
            memory=memory,
            hot=hot,
            compute=function if is_quick else None,
            large=large,
            token_in_name=token_in_name,
        )

    async def call(self, data: object) -> bytes:
        """Raise InvalidInput, CommandRefused of the rule, or any error of the function."""
        message = self._validated(data)
        self.who.admit(caller(), message)
        key = None if self.memory is None else self.memory.key(self.skill, data)
        return await self._answer(key, message)

    def read_json(self, data: bytes) -> ReadInput:
        """Read an input of JSON, for `answer`. Raises ValueError if it is no JSON."""
        if self.hot is not None:
            try:
                return ReadInput(self.hot.read(data), data, is_message=True)
            except ValueError:  # the model has to read it
                pass
        content = orjson.loads(data)
        if may_change(data):  # as the SDK reads it
            content = carried(content)
        return ReadInput(content, data, is_message=False)

    async def answer(self, call_input: ReadInput) -> bytes:
        """Do as `call` with an input that was read from JSON."""
        key, message = self._admitted(call_input)
        return await self._answer(key, message)

    def computed(self, call_input: ReadInput) -> bytes:
        """Do as `answer`, at once; only for an entrypoint with `compute`."""
        key, message = self._admitted(call_input)
        if self.memory is None or key is None:
            return self._computed(message)
        return self.memory.computed(key, lambda: self._computed(message))

    def _admitted(self, call_input: ReadInput) -> tuple[Key | None, Any]:
        """Validate an input and authorise the caller; return key and message. Raises as `call`."""
        content, data, is_message = call_input
        message = content if is_message else self._validated(content)
        self.who.admit(caller(), message)
        if self.memory is None:
            return None, message
        if is_message:
            return self.memory.key_of_json(self.skill, data, message), message
        return self.memory.key(self.skill, content), message

    def _validated(self, data: object) -> Any:
        """Return the message of JSON values. Raises InvalidInput."""
        try:
            message = self.input.validator.validate_python(data)
        except ValidationError as error:
            raise InvalidInput(violations_of(error, data=data)) from error
        return message if self.hot is None else self.hot.of_model(message)

    async def _answer(self, key: Key | None, message: Any) -> bytes:
        if self.memory is None or key is None:
            return await self._run(message)
        return await self.memory.answer(key, lambda: self._run(message))

    async def _run(self, message: Any) -> bytes:
        return self._json_of(await self.run(message))

    def _computed(self, message: Any) -> bytes:
        assert self.compute is not None  # noqa: S101  as `computed` says
        return self._json_of(self.compute(message))

    def _json_of(self, output: Any) -> bytes:
        validated = self.output.validator.validate_python(output)
        return self.output.serializer.to_json(validated, by_alias=True)

    @cached_property
    def required(self) -> frozenset[str]:
        """The required keys of the input, in their wire form."""
        return frozenset(_schema(self.input).get("required", ()))

    def schemas(self) -> Mapping[str, Any]:
        """Return the entry in the extension's params: skill, input schema, output schema."""
        return {"skill": self.skill, "input": _schema(self.input), "output": _schema(self.output)}


@lru_cache(maxsize=_MODELS)
def adapter_of(annotation: Any) -> TypeAdapter[Any]:
    """Return the adapter of an annotation, one for all agents and calls of a process."""
    return TypeAdapter(annotation)


@lru_cache(maxsize=_MODELS)
def _schema(adapter: TypeAdapter[Any]) -> Mapping[str, Any]:
    return adapter.json_schema(by_alias=True)
