"""Calling other agents: resolve a card once, then typed calls with deadlines.

>>> client = AgentClient(HttpTransport())
>>> player = await client.resolve("http://127.0.0.1:4101", timeout=timedelta(seconds=2))
>>> answer = await player.call("act", request, ActionResponse, timeout=timedelta(seconds=10))
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any, Protocol, TypeVar, cast
from urllib.parse import urlsplit

import httpx
import orjson
from a2a.types import AgentCard
from pydantic import BaseModel, TypeAdapter

from casino_agentkit.discovery import (
    choose_interface,
    declares_typed_calls,
    fetch_card,
    params,
    read_url,
)
from casino_agentkit.errors import TimedOut, Unreachable
from casino_agentkit.jsonrpc import JsonRpcBinding
from casino_agentkit.reply import WORKING, read_output, task_state
from casino_agentkit.sdk_binding import SdkBinding
from casino_agentkit.transport import HttpTransport, Transport
from casino_agentkit.wire import MessageIds

OutputT = TypeVar("OutputT")
Clock = Callable[[], float]

_FIRST_POLL_S, _SLOWEST_POLL_S = 0.05, 0.5


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

    async def get_task(self, task_id: str, timeout_s: float) -> dict[str, Any]:
        """Return the task as it stands, as a result."""
        ...


@dataclass
class Conversation:
    """Calls that belong together: the agent's context id is echoed in each."""

    context_id: str | None = None


class Peer:
    """Another agent, found."""

    def __init__(
        self, card: AgentCard, card_url: str, url: str, binding: Binding, clock: Clock
    ) -> None:
        self.card = card
        self.card_url = card_url
        self.url = url
        self.is_typed = declares_typed_calls(card)
        self._binding = binding
        self._clock = clock

    @property
    def name(self) -> str:
        """The name on the card."""
        return self.card.name

    @property
    def skills(self) -> frozenset[str]:
        """The ids of the skills on the card."""
        return frozenset(skill.id for skill in self.card.skills)

    @property
    def about(self) -> dict[str, Any]:
        """What stands in the params of our extension on its card; {} without it."""
        return params(self.card)

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
        """Call a typed entrypoint and return its checked output.

        `message` is the input, as a model or as the JSON it has been written to already.
        To an agent whose card does not declare our extension the message also carries a text:
        `brief`, the input and the reply's schema, so that any A2A agent can answer.
        Nothing is repeated here; a caller that repeats puts an id into the input by which the
        agent knows the question again.
        Raises Unreachable, TimedOut, Refused, Malformed or ProtocolFault.
        """
        deadline = self._clock() + timeout.total_seconds()
        data = (
            message
            if isinstance(message, bytes)
            else message.__pydantic_serializer__.to_json(message, by_alias=True)
        )
        adapter: TypeAdapter[OutputT] = _adapter(cast("Any", output))
        text = None if self.is_typed else _instruction(skill, data, adapter, brief)
        context_id = conversation.context_id if conversation else None
        try:
            result = await self._binding.send(
                skill, data, text, context_id, timeout.total_seconds(), token
            )
        except Unreachable as error:
            raise self._unreachable(error) from error
        if "task" in result:
            result = await self._finished(result, deadline)
        if conversation is not None:
            conversation.context_id = _context_id(result) or context_id
        answer: OutputT = read_output(self.card_url, result, adapter)
        return answer

    def _unreachable(self, error: Unreachable) -> Unreachable:
        """Name the commonest cause: a card read at one address that advertises another."""
        if urlsplit(self.url).netloc == urlsplit(self.card_url).netloc:
            return error
        return Unreachable(
            self.card_url,
            f"its card advertises {self.url}, which cannot be reached from here"
            f" ({error.message}): advertise an address that others can reach",
        )

    async def _finished(self, result: dict[str, Any], deadline: float) -> dict[str, Any]:
        """Poll a task while it works, until the deadline."""
        delay = _FIRST_POLL_S
        while task_state(result) in WORKING:
            task_id = result["task"].get("id") if isinstance(result["task"], dict) else None
            left = deadline - self._clock()
            if not isinstance(task_id, str) or left <= delay:
                raise TimedOut(self.card_url, "the task was not finished within the deadline")
            await asyncio.sleep(delay)
            delay = min(delay * 1.5, _SLOWEST_POLL_S)
            result = await self._binding.get_task(task_id, deadline - self._clock())
        return result


class AgentClient:
    """Finds agents and calls them, over one pool of connections."""

    def __init__(
        self,
        transport: Transport | None = None,
        *,
        clock: Clock = time.monotonic,
        http: Callable[[], httpx.AsyncClient] = httpx.AsyncClient,
    ) -> None:
        self._transport = transport or HttpTransport()
        self._clock = clock
        self._make_http = http
        self._http: httpx.AsyncClient | None = None
        self._ids = MessageIds()

    async def resolve(self, url: str, *, timeout: timedelta) -> Peer:
        """Return the agent whose card, or whose base, is at `url`.

        Raises Unreachable, TimedOut, or ProtocolFault when there is no card that can be used.
        """
        card = await fetch_card(self._transport, url, timeout.total_seconds())
        address = choose_interface(url, card)
        binding: Binding
        if address.is_fast:
            binding = JsonRpcBinding(
                self._transport, address.interface.url, address.interface.tenant, self._ids
            )
        else:
            self._http = self._http or self._make_http()
            binding = SdkBinding(card, url, self._http, self._ids)
        return Peer(card, url, address.interface.url, binding, self._clock)

    async def read(self, url: str, *, timeout: timedelta) -> bytes:
        """Return what an HTTP GET of a URL gives, redirects followed.

        Raises Unreachable, TimedOut, or ProtocolFault when there is nothing.
        """
        return await read_url(self._transport, url, timeout.total_seconds())

    async def close(self) -> None:
        """Let go of all connections."""
        await self._transport.close()
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()


@cache
def _adapter(output: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(output)


def _instruction(skill: str, data: bytes, output: TypeAdapter[Any], brief: str) -> str:
    """Say in words what a typed agent reads from the metadata."""
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
        if isinstance(content, dict) and isinstance(content.get("contextId"), str):
            return str(content["contextId"])
    return None
