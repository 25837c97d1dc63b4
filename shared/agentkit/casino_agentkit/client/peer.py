"""Resolved agent: typed calls with one deadline per call."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any, Protocol, TypeVar, cast
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, TypeAdapter

from casino_agentkit.bounds import ReplyBounds, is_id, shown
from casino_agentkit.client.deadline import Deadline
from casino_agentkit.client.discovery import FoundCard, skills_of
from casino_agentkit.client.reply import WORKING, read_output, task_state
from casino_agentkit.client.slots import CallSlots
from casino_agentkit.errors import TimedOut, Unreachable

OutputT = TypeVar("OutputT")
Clock = Callable[[], float]

_FIRST_POLL_S, _SLOWEST_POLL_S = 0.05, 0.5
_NAME_SHOWN = 128


class Binding(Protocol):
    """One way to call one agent."""

    async def send(
        self,
        skill: str,
        data: bytes,
        text: str | None,
        context_id: str | None,
        timeout_s: float,
        token: str | None = None,
    ) -> dict[str, Any]:
        """Send a typed call and return the result, a message or a task, as JSON."""
        ...

    async def get_task(
        self, task_id: str, timeout_s: float, token: str | None = None
    ) -> dict[str, Any]:
        """Return the current state of a task, as a result."""
        ...


@dataclass
class Conversation:
    """Calls with the same context id, taken from the agent's replies."""

    context_id: str | None = None


class Peer:
    """A resolved agent. `clock` returns seconds."""

    def __init__(
        self,
        fetched: FoundCard,
        card_url: str,
        url: str,
        binding: Binding,
        *,
        clock: Clock,
        bounds: ReplyBounds,
        slots: CallSlots | None,
        deadline: Deadline,
    ) -> None:
        self.card = fetched.card
        self.about = fetched.params
        """Params of the typed-entrypoint extension on its card, {} without it."""
        self.is_typed = fetched.is_typed
        self.skills = skills_of(fetched.card)
        """Skill ids of the card."""
        self.signer = fetched.signer
        """Thumbprint of the key that signed the card, None if it is unsigned."""
        self.card_url = card_url
        self.url = url
        self._binding = binding
        self._clock = clock
        self._bounds = bounds
        self._slots = slots
        self._deadline = deadline

    @property
    def name(self) -> str:
        """The name on the card, as one printable line."""
        return shown(self.card.name, _NAME_SHOWN)

    async def call(
        self,
        skill: str,
        message: BaseModel | bytes,
        output: type[OutputT],
        *,
        timeout: timedelta,
        conversation: Conversation | None = None,
        brief: str = "",
        token: str | None = None,
    ) -> OutputT:
        """Call a typed entrypoint and return its validated output.

        `timeout` covers the whole call. `token` is sent as `Authorization: Bearer`. `message` is
        the input, as a model or as JSON. If the card does not declare the typed-entrypoint
        extension, the message also contains a text (`brief`, the input and the output's schema),
        so that any A2A agent can answer. Calls are not retried; a caller that retries must put an
        idempotency key into the input.
        Raises Unreachable, TimedOut, RemoteRefused, Malformed or ProtocolFault.
        """
        seconds = timeout.total_seconds()
        ends_at = self._clock() + seconds
        data = (
            message
            if isinstance(message, bytes)
            else message.__pydantic_serializer__.to_json(message, by_alias=True)
        )
        adapter: TypeAdapter[OutputT] = _adapter(cast("Any", output))
        text = None if self.is_typed else _instruction(skill, data, adapter, brief)
        context_id = conversation.context_id if conversation else None
        try:
            async with self._deadline(seconds), self._slot():
                left = seconds if self._slots is None else ends_at - self._clock()
                result = await self._binding.send(skill, data, text, context_id, left, token)
                if "task" in result:
                    result = await self._poll(result, ends_at, token)
        except TimeoutError as error:
            raise TimedOut(self.card_url, f"no reply within {seconds:.3g} s") from error
        except Unreachable as error:
            raise self._unreachable(error) from error
        if conversation is not None:
            conversation.context_id = _context_id(result) or context_id
        answer: OutputT = read_output(self.card_url, result, adapter, self._bounds)
        return answer

    def _slot(self) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self._slots is None else self._slots.taken(self.url)

    def _unreachable(self, error: Unreachable) -> Unreachable:
        """Explain the most common cause: the card advertises an unreachable address."""
        if urlsplit(self.url).netloc == urlsplit(self.card_url).netloc:
            return error
        return Unreachable(
            self.card_url,
            f"its card advertises {self.url}, which cannot be reached from here"
            f" ({error.message}): advertise an address that others can reach",
        )

    async def _poll(
        self, result: dict[str, Any], ends_at: float, token: str | None
    ) -> dict[str, Any]:
        """Poll a task until it is finished or the deadline is reached."""
        delay = _FIRST_POLL_S
        while task_state(result) in WORKING:
            task_id = result["task"].get("id") if isinstance(result["task"], dict) else None
            left = ends_at - self._clock()
            if not is_id(task_id) or left <= delay:
                raise TimedOut(self.card_url, "the task was not finished within the deadline")
            await asyncio.sleep(delay)
            delay = min(delay * 1.5, _SLOWEST_POLL_S)
            left = ends_at - self._clock()
            result = await self._binding.get_task(str(task_id), left, token)
        return result


@cache
def _adapter(output: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(output)


def _instruction(skill: str, data: bytes, output: TypeAdapter[Any], brief: str) -> str:
    """Return instructions in text, for an agent that does not read the typed call's metadata."""
    schema = orjson.dumps(output.json_schema(by_alias=True)).decode()
    task = brief or f"You are called for your skill '{skill}'."
    return (
        f"{task} The JSON below is the input. Reply with one JSON object that fits the schema at"
        f" the end, and with nothing else.\n\nInput:\n{data.decode()}\n\nSchema of the reply:\n"
        f"{schema}"
    )


def _context_id(result: dict[str, Any]) -> str | None:
    for kind in ("message", "task"):
        content = result.get(kind)
        if isinstance(content, dict) and is_id(content.get("contextId")):
            return str(content["contextId"])
    return None
