"""A chat endpoint of the OpenAI kind: one conversation in, one text out, streamed or whole.

The time is the caller's (`asyncio.timeout`); tokens and sizes are bounded here.
No error holds the key, the conversation or the answer: they hold cards and secrets.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from pydantic import SecretStr

from casino_player_example.tokens import Spending, TokenBudget, tokens_in

Message = dict[str, str]

_OK, _TOO_MANY = 200, 429
_PASSING = {408, 409, 425, _TOO_MANY, 500, 502, 503, 504, 529}
_TRIES = 2
_FIRST_WAIT = 0.5
_LARGEST_REPLY = 4_000_000
_LONGEST_TEXT = 64_000


class ChatError(Exception):
    """The model did not answer; `is_passing` says whether another try may help."""

    def __init__(
        self, message: str, *, wait: float | None = None, is_passing: bool = False
    ) -> None:
        super().__init__(message)
        self.wait = wait
        self.is_passing = is_passing


@dataclass
class Completion:
    """What a model said, and what it thought aloud where its server tells that apart."""

    text: str = ""
    thoughts: str = ""
    tokens: int | None = None
    is_whole: bool = field(default=False, repr=False)

    @property
    def is_too_long(self) -> bool:
        """Tell whether there is more than anyone asked for."""
        return len(self.text) + len(self.thoughts) > _LONGEST_TEXT

    def take(self, chunk: object) -> None:
        """Add a chunk of a stream, or a whole reply; or raise ChatError."""
        if not isinstance(chunk, dict):
            raise ChatError("the model's server answers no chat completion")
        if chunk.get("error"):
            raise ChatError("the model's server broke off with an error", is_passing=True)
        usage = chunk.get("usage")
        if isinstance(usage, dict) and type(total := usage.get("total_tokens")) is int:
            self.tokens = total
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return
        said = choices[0].get("delta") or choices[0].get("message") or {}
        if isinstance(said, dict):
            self.text += _text(said.get("content"))
            self.thoughts += _text(said.get("reasoning_content") or said.get("reasoning"))
        self.is_whole |= choices[0].get("finish_reason") is not None


class Chat:
    """A model behind `POST {base_url}/chat/completions`.

    `http` is the caller's to open and close; `sleep` waits between two tries.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        base_url: str,
        model: str,
        api_key: SecretStr,
        max_tokens: int,
        budget: TokenBudget,
        stream: bool = True,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._http = http
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._model = model
        self._api_key = api_key
        self._max_tokens = max_tokens
        self._budget = budget
        self._stream = stream
        self._sleep = sleep

    async def complete(self, messages: Sequence[Message], *, patience: float) -> Completion:
        """Return the model's answer; what passes is tried once more, after Retry-After.

        Who is told to wait for more than `patience` seconds gives up at once.

        Raises ChatError, OutOfTokens.
        """
        for tries_left in reversed(range(_TRIES)):
            try:
                return await self._try(messages)
            except ChatError as error:
                wait = _FIRST_WAIT if error.wait is None else error.wait
                if not error.is_passing or not tries_left or wait > patience:
                    raise
                await self._sleep(wait)
        raise AssertionError("unreachable: the last try returns or raises")

    async def _try(self, messages: Sequence[Message]) -> Completion:
        prompt = sum(tokens_in(message["content"]) for message in messages)
        body: dict[str, Any] = {
            "model": self._model,
            "messages": list(messages),
            "max_tokens": self._max_tokens,
            "stream": self._stream,
        }
        if self._stream:
            body["stream_options"] = {"include_usage": True}
        headers = {
            "authorization": f"Bearer {self._api_key.get_secret_value()}",
            "accept-encoding": "identity",
        }
        with self._budget.reserve(prompt + self._max_tokens) as spending:
            try:
                async with self._http.stream(
                    "POST", self._url, json=body, headers=headers, timeout=None
                ) as response:
                    return await _answer(response, spending, prompt)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                # Its text may quote the headers.
                kind = type(error).__name__
                raise ChatError(f"the model's server failed: {kind}", is_passing=True) from None


async def _answer(response: httpx.Response, spending: Spending, prompt: int) -> Completion:
    if response.status_code != _OK:
        spending.tokens = 0
        raise ChatError(
            f"the model's server answered HTTP {response.status_code}",
            wait=_retry_after(response.headers.get("retry-after")),
            is_passing=response.status_code in _PASSING,
        )
    completion = Completion()
    try:
        if "event-stream" in response.headers.get("content-type", ""):
            await _read_stream(response, completion)
        else:
            completion.take(_json(b"".join([chunk async for chunk in _bounded(response)])))
            completion.is_whole = True
    finally:
        said = tokens_in(completion.text) + tokens_in(completion.thoughts)
        counted = completion.tokens
        spending.tokens = counted if counted is not None and counted > 0 else prompt + said
    if not completion.is_whole and not completion.is_too_long:
        raise ChatError("the model's server ended in the middle of its answer", is_passing=True)
    if not completion.text.strip() and not completion.thoughts.strip():
        raise ChatError("the model said nothing", is_passing=True)
    return completion


async def _read_stream(response: httpx.Response, completion: Completion) -> None:
    """Read server-sent events until `[DONE]`, or until there is more than anyone asked for."""
    async for line in _lines(response):
        if not line.startswith(b"data:"):
            continue
        data = line[len(b"data:") :].strip()
        if data == b"[DONE]":
            completion.is_whole = True
            return
        completion.take(_json(data))
        if completion.is_too_long:
            return


async def _lines(response: httpx.Response) -> AsyncIterator[bytes]:
    rest = bytearray()
    async for chunk in _bounded(response):
        rest += chunk
        *lines, last = rest.split(b"\n")
        rest = last
        for line in lines:
            yield bytes(line)
    yield bytes(rest)


async def _bounded(response: httpx.Response) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in response.aiter_raw():
        size += len(chunk)
        if size > _LARGEST_REPLY:
            raise ChatError(f"the model's server sent more than {_LARGEST_REPLY} bytes")
        yield chunk


def _json(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ChatError("the model's server answers no JSON") from None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _retry_after(header: str | None) -> float | None:
    """Return the seconds to wait; a date is not worth reading within one turn."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if seconds >= 0 else None
