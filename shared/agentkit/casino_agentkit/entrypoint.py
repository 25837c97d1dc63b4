"""Typed entrypoint: a skill with its input and output models, function and rule.

All bindings call `Entrypoint.call`, so that validation and authorisation are the same for each.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, get_type_hints

from pydantic import TypeAdapter, ValidationError

from casino_agentkit.authority import Rule, caller
from casino_agentkit.errors import InvalidInput
from casino_agentkit.idempotency import IdempotencyCache
from casino_agentkit.violations import violations_of

_MODELS: Final = 256
"""Annotations whose adapter and schema are kept; a process has a few dozen."""


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

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        skill: str,
        *,
        who: Rule,
        memory: IdempotencyCache | None = None,
    ) -> "Entrypoint":
        """Create an entrypoint from a function with one annotated parameter and return type.

        A synchronous function runs in a worker thread, so that it does not block the event loop.
        Raises TypeError if annotations are missing.
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
        if not inspect.iscoroutinefunction(function):

            async def run(message: Any) -> Any:
                return await asyncio.to_thread(function, message)
        else:
            run = function
        return cls(
            skill=skill,
            description=inspect.cleandoc(function.__doc__ or skill).partition("\n")[0],
            input=_adapter(hints[parameters[0].name]),
            output=_adapter(hints["return"]),
            run=run,
            who=who,
            memory=memory,
        )

    async def call(self, data: object) -> bytes:
        """Validate the input, authorise the caller, run the function and return JSON.

        Raises InvalidInput, CommandRefused: UNAUTHORIZED, FORBIDDEN, or any error of the function.
        """
        try:
            message = self.input.validate_python(data)
        except ValidationError as error:
            raise InvalidInput(violations_of(error, data=data)) from error
        self.who.admit(caller(), message)
        if self.memory is not None and (key := self.memory.key(self.skill, data)) is not None:
            return await self.memory.answer(key, lambda: self._run(message))
        return await self._run(message)

    async def _run(self, message: Any) -> bytes:
        output = self.output.validate_python(await self.run(message))
        return self.output.dump_json(output, by_alias=True)

    @cached_property
    def required(self) -> frozenset[str]:
        """The required keys of the input, in their wire form."""
        return frozenset(_schema(self.input).get("required", ()))

    def schemas(self) -> Mapping[str, Any]:
        """Return the entry in the extension's params: skill, input schema, output schema."""
        return {
            "skill": self.skill,
            "input": _schema(self.input),
            "output": _schema(self.output),
        }


@lru_cache(maxsize=_MODELS)
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    """Return the adapter of an annotation, the same for all agents of a process."""
    return TypeAdapter(annotation)


@lru_cache(maxsize=_MODELS)
def _schema(adapter: TypeAdapter[Any]) -> Mapping[str, Any]:
    return adapter.json_schema(by_alias=True)
