"""Resolved agent: typed calls with one deadline each; a task that is not finished is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any, Protocol, TypeVar, cast
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, TypeAdapter

from casino_agentkit.accepted_json import ReplyBounds, shown
from casino_agentkit.client.agent_card import (
    credentials_asked,
    refusal_of,
    schemes_of,
    skills_of,
)
from casino_agentkit.client.agent_reply import (
    AUTH_REQUIRED,
    TASK_FAILED,
    WORKING,
    read_output,
    said_in,
    schema_of,
    task_id_of,
    task_state,
)
from casino_agentkit.client.card_discovery import FoundCard
from casino_agentkit.client.jsonrpc import JsonRpcBinding, ReadAnswer
from casino_agentkit.client.outgoing import CallSlots, Deadline, slot
from casino_agentkit.entrypoint import HotOutput, adapter_of, model_of
from casino_agentkit.errors import AgentError, Disconnected, ProtocolFault, TimedOut, Unreachable
from casino_agentkit.process.background_tasks import BackgroundTasks, Backoff
from casino_agentkit.protocol import is_id

OutputT = TypeVar("OutputT")

_POLLS = Backoff(first_s=0.005, slowest_s=0.5)
"""A quick agent is asked again at once, one that takes seconds twice a second."""
_LAST_POLL_S = 0.05  # a task is not polled any more if less time than this is left
_NOT_FINISHED = "the task was not finished within the deadline"
_NAME_SHOWN = 128


class Binding(Protocol):
    """One way to call one agent."""

    url: str  # the address that is called

    async def send(
        self,
        skill: str,
        data: bytes | None,
        text: str | None,
        context_id: str | None,
        timeout_s: float,
        token: str | None = None,
    ) -> dict[str, Any]:
        """Send a call with data, text or both; return the result, a message or task, as JSON."""

    async def get_task(
        self, task_id: str, timeout_s: float, token: str | None = None
    ) -> dict[str, Any]: ...

    async def cancel_task(
        self, task_id: str, timeout_s: float, token: str | None = None
    ) -> None: ...


Cancel = Callable[[float], Awaitable[None]]
"""Sends one cancellation; takes its timeout in seconds, raises AgentError."""

_MOST_CANCELLATIONS = 16  # number of cancellations under way; further ones are left out
_CANCELLATION_S = 1.0


class Cancellations:
    """Sends cancellations that nobody waits for, each within a second and in a slot."""

    def __init__(self, slots: CallSlots | None, deadline: Deadline) -> None:
        self._slots = slots
        self._deadline = deadline
        self._tasks = BackgroundTasks()

    def begin(self, url: str, cancel: Cancel) -> None:
        """Send a cancellation to the agent at a URL, unless too many are under way."""
        if len(self._tasks) < _MOST_CANCELLATIONS:
            self._tasks.begin(self._send(url, cancel))

    async def end(self) -> None:
        await self._tasks.end()

    async def _send(self, url: str, cancel: Cancel) -> None:
        try:
            async with self._deadline(_CANCELLATION_S), slot(self._slots, url):
                await cancel(_CANCELLATION_S)
        except (AgentError, TimeoutError):
            pass


@dataclass
class Conversation:
    """Calls with the same context id, taken from the agent's replies."""

    context_id: str | None = None


class RemoteAgent:
    """A resolved agent."""

    def __init__(
        self,
        fetched: FoundCard,
        card_url: str,
        binding: Binding,
        *,
        bounds: ReplyBounds,
        slots: CallSlots | None,
        deadline: Deadline,
        cancellations: Cancellations,
    ) -> None:
        self.card = fetched.card
        self.about = fetched.params
        """Params of the typed-entrypoint extension on its card, {} without it."""
        self.inputs = fetched.inputs
        """Names of the input's fields by skill, as far as the card declares them."""
        self.is_invoke = fetched.invoke_url is not None
        """Whether it offers only the invoke profile, and is called by it."""
        self.is_typed = fetched.is_typed or self.is_invoke
        """Whether it takes the input of a skill as it is, without a text."""
        self.skills = skills_of(fetched.card)  # skill ids of the card
        self.signer = fetched.signer
        """Thumbprint of the key that signed the card, None if it is unsigned."""
        self.card_url = card_url
        self.url = binding.url
        self._json_skills = fetched.json_skills
        self._binding = binding
        has_rpc = isinstance(binding, JsonRpcBinding) and self.is_typed and slots is None
        self._rpc = binding if isinstance(binding, JsonRpcBinding) and has_rpc else None
        """The binding, if it keeps the deadline of a call itself."""
        self._bounds = bounds
        self._slots = slots
        self._deadline = deadline
        self._cancellations = cancellations

    @property
    def name(self) -> str:
        return shown(self.card.name, _NAME_SHOWN)

    async def call(
        self,
        skill: str,
        message: BaseModel | bytes,
        output: type[OutputT] | HotOutput[OutputT],
        *,
        timeout: timedelta,
        conversation: Conversation | None = None,
        brief: str = "",
        token: str | None = None,
    ) -> OutputT:
        """Call a typed entrypoint and return its validated output.

        A hot output is read faster where it can be.
        `timeout` covers the whole call. `token` is sent as `Authorization: Bearer`. `message` is
        the input, as a model or as JSON.
        If the card offers A2A, but does not declare the typed-entrypoint extension, the message is
        a text (`brief`, the input and the output's schema), so that any A2A agent can answer. Only
        if such a card has a skill of this id whose input modes contain JSON, or has no input modes
        at all, a data part with the input follows the text: an agent that does not take JSON
        refuses a message with it, and one without such a skill has no use for it.
        Calls are not retried; a caller that retries must put an idempotency key into the input.
        A task that is not finished within the deadline is cancelled in the background.
        Raises Unreachable, TimedOut, RemoteRefused, Malformed or ProtocolFault.
        """
        model = model_of(output)
        read = output.read if isinstance(output, HotOutput) else None
        data = (
            message
            if isinstance(message, bytes)
            else message.__pydantic_serializer__.to_json(message, by_alias=True)
        )
        context_id = conversation.context_id if conversation else None
        seconds = timeout.total_seconds()
        try:
            if self._rpc is None:
                content = self._content(skill, data, model, brief)
                result = await self._sent(skill, content, context_id, seconds, token)
            else:
                reply = await self._request(skill, data, context_id, seconds, token, read)
                if isinstance(reply, ReadAnswer):
                    if conversation is not None:
                        conversation.context_id = reply.context_id or context_id
                    return reply.output
                result = reply
        except Unreachable as error:
            raise self._unreachable(error) from error
        except ProtocolFault as error:
            if (refusal := refusal_of(error, schemes_of(self.card))) is not None:
                try:
                    raise refusal from error
                finally:
                    del refusal  # else this frame and the error keep each other
            raise
        if "task" in result and task_state(result) == AUTH_REQUIRED:
            schemes = schemes_of(self.card)
            raise credentials_asked(self.card_url, TASK_FAILED, schemes, said_in(result))
        if conversation is not None:
            conversation.context_id = _context_id(result) or context_id
        adapter: TypeAdapter[OutputT] = adapter_of(cast("Any", model))
        answer: OutputT = read_output(
            self.card_url, result, adapter, self._bounds, reads_words=not self.is_typed
        )
        return answer

    async def _request(
        self,
        skill: str,
        data: bytes,
        context_id: str | None,
        seconds: float,
        token: str | None,
        read: Callable[[bytes], OutputT] | None,
    ) -> ReadAnswer[OutputT] | dict[str, Any]:
        """Call by JSON-RPC, whose transport keeps the deadline; only a task needs another one."""
        assert self._rpc is not None  # noqa: S101  the caller has seen it
        ends_at = _now() + seconds
        reply = await self._rpc.ask(skill, data, context_id, seconds, token, read)
        if isinstance(reply, ReadAnswer) or "task" not in reply:
            return reply
        try:
            async with self._deadline(ends_at - _now()):
                return await self._finished(reply, ends_at, token)
        except TimeoutError as error:
            raise TimedOut(self.card_url, _NOT_FINISHED) from error

    async def _sent(
        self,
        skill: str,
        content: tuple[bytes | None, str | None],
        context_id: str | None,
        seconds: float,
        token: str | None,
    ) -> dict[str, Any]:
        """Call by any binding, within the deadline and in a slot; return the result."""
        ends_at = _now() + seconds
        result: dict[str, Any] = {}
        try:
            async with self._deadline(seconds), slot(self._slots, self.url):
                left = seconds if self._slots is None else ends_at - _now()
                result = await self._binding.send(skill, *content, context_id, left, token)
                if "task" in result:
                    result = await self._finished(result, ends_at, token)
        except TimeoutError as error:
            fault = _NOT_FINISHED if "task" in result else f"no reply within {seconds:.3g} s"
            raise TimedOut(self.card_url, fault) from error
        return result

    def _content(
        self, skill: str, data: bytes, output: type[OutputT], brief: str
    ) -> tuple[bytes | None, str | None]:
        """Return data and text of a call: only agents that know the extension get no text."""
        if self.is_typed:
            return data, None
        text = _instruction(skill, data, output, brief)
        return data if skill in self._json_skills else None, text

    def _unreachable(self, error: Unreachable) -> Unreachable:
        """Explain the most common cause: the card advertises an unreachable address."""
        is_same = urlsplit(self.url).netloc == urlsplit(self.card_url).netloc
        if is_same or isinstance(error, Disconnected):
            return error
        return Unreachable(
            self.card_url,
            f"its card leads to {self.url}, which cannot be reached from here"
            f" ({error.message}): advertise an address that others can reach",
        )

    async def _finished(
        self, result: dict[str, Any], ends_at: float, token: str | None
    ) -> dict[str, Any]:
        """Poll a task until it is finished. If the call ends before it, the task is cancelled."""
        polls = 0
        while task_state(result) in WORKING:
            polls += 1
            left = ends_at - _now()
            pause_s = min(_POLLS.pause_s(polls), max(left / 2, _LAST_POLL_S))
            task_id = task_id_of(result)
            if task_id is None:
                raise TimedOut(self.card_url, "the task was not finished, and has no id to ask for")
            if left <= pause_s:
                self._cancel(task_id, token)
                raise TimedOut(self.card_url, _NOT_FINISHED)
            try:
                await asyncio.sleep(pause_s)
                result = await self._binding.get_task(task_id, ends_at - _now(), token)
            except TimedOut as error:
                self._cancel(task_id, token)
                raise TimedOut(self.card_url, _NOT_FINISHED) from error
            except asyncio.CancelledError:  # by the deadline, or by the caller
                self._cancel(task_id, token)
                raise
        return result

    def _cancel(self, task_id: str, token: str | None) -> None:
        async def cancel(timeout_s: float) -> None:
            await self._binding.cancel_task(task_id, timeout_s, token)

        self._cancellations.begin(self.url, cancel)


def _now() -> float:
    """Return the seconds on the clock of the running loop, which ends its deadlines as well."""
    return asyncio.get_running_loop().time()


def _context_id(result: dict[str, Any]) -> str | None:
    for kind in ("message", "task"):
        content = result.get(kind)
        if isinstance(content, dict) and is_id(content.get("contextId")):
            return str(content["contextId"])
    return None


def _instruction(skill: str, data: bytes, output: type[Any], brief: str) -> str:
    """Return the text for an agent without the typed-entrypoint extension."""
    ending = _ending(cast("Any", output))
    task = brief or f"You are called for your skill '{skill}'."
    return (
        f"{task} The JSON below is the input. Reply with one JSON object that fits the schema at"
        f" the end, and with nothing else.\n\nInput:\n{data.decode()}\n\n{ending}"
    )


@cache
def _ending(output: Any) -> str:
    """Return the end of an instruction."""
    schema = orjson.dumps(schema_of(adapter_of(output))).decode()
    return f"Schema of the reply:\n{schema}"
