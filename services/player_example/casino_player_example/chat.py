"""Client of an OpenAI-compatible chat endpoint, streaming or not, and its budget of tokens.

The caller limits the time (`asyncio.timeout`); this module limits tokens and sizes.
Errors never contain the key, the conversation or the answer, which hold cards and secrets.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from pydantic import SecretStr

from casino_player_example.errors import ChatError, OutOfTokens

_LETTERS_PER_TOKEN = 3
"""Low for most languages, so that estimates are rather too high."""
Message = dict[str, str]
_OK, _TOO_MANY = 200, 429
_TEMPORARY = {408, 409, 425, _TOO_MANY, 500, 502, 503, 504, 529}
_ATTEMPTS = 2
_FIRST_WAIT = 0.5
_MAX_REPLY_BYTES = 4_000_000
_MAX_TEXT = 64_000


def tokens_in(text: str) -> int:
    return len(text) // _LETTERS_PER_TOKEN + 1


@dataclass
class Spending:
    """Tokens of one call; the reserved number until the real one is set."""

    tokens: int


class TokenBudget:
    """Budget shared by all calls of a process; `cap` and `spent` are numbers of tokens."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.spent = 0

    @contextmanager
    def reserve(self, tokens: int) -> Iterator[Spending]:
        """Reserve tokens for a call and settle the real number after it; raises OutOfTokens."""
        if self.spent + tokens > self.cap:
            raise OutOfTokens(f"{self.spent} of {self.cap} tokens are spent")
        spending = Spending(tokens)
        self.spent += tokens
        try:
            yield spending
        finally:
            self.spent += spending.tokens - tokens


@dataclass
class Completion:
    """A model's answer, and its reasoning if the server returns it separately."""

    text: str = ""
    thoughts: str = ""
    tokens: int | None = None
    is_complete: bool = field(default=False, repr=False)

    @property
    def is_too_long(self) -> bool:
        return len(self.text) + len(self.thoughts) > _MAX_TEXT

    def take(self, chunk: object) -> None:
        """Add a chunk of a stream or a whole reply; raises ChatError."""
        if not isinstance(chunk, dict):
            raise ChatError("the model's server sent no chat completion")
        if chunk.get("error"):
            raise ChatError("the model's server sent an error", is_temporary=True)
        usage = chunk.get("usage")
        if isinstance(usage, dict) and type(total := usage.get("total_tokens")) is int:
            self.tokens = total
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return
        message = choices[0].get("delta") or choices[0].get("message") or {}
        if isinstance(message, dict):
            self.text += _text(message.get("content"))
            self.thoughts += _text(message.get("reasoning_content") or message.get("reasoning"))
        self.is_complete |= choices[0].get("finish_reason") is not None


class Chat:
    """A client of `{base_url}/chat/completions`; its caller opens and closes `http`."""

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

    async def complete(self, messages: Sequence[Message], *, max_wait: float) -> Completion:
        """Retry a temporary error once, within `max_wait` s. Raises ChatError, OutOfTokens."""
        for attempts_left in reversed(range(_ATTEMPTS)):
            try:
                return await self._attempt(messages)
            except ChatError as error:
                wait = _FIRST_WAIT if error.wait is None else error.wait
                if not error.is_temporary or not attempts_left or wait > max_wait:
                    raise
                await self._sleep(wait)
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _attempt(self, messages: Sequence[Message]) -> Completion:
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
                # The error's text is dropped, because it may quote the headers.
                kind = type(error).__name__
                raise ChatError(f"the model's server failed: {kind}", is_temporary=True) from None


async def _answer(response: httpx.Response, spending: Spending, prompt: int) -> Completion:
    if response.status_code != _OK:
        spending.tokens = 0
        raise ChatError(
            f"the model's server answered HTTP {response.status_code}",
            wait=_retry_after(response.headers.get("retry-after")),
            is_temporary=response.status_code in _TEMPORARY,
        )
    completion = Completion()
    try:
        if "event-stream" in response.headers.get("content-type", ""):
            await _read_stream(response, completion)
        else:
            completion.take(_json(b"".join([chunk async for chunk in _bounded(response)])))
            completion.is_complete = True
    finally:
        estimate = tokens_in(completion.text) + tokens_in(completion.thoughts)
        counted = completion.tokens
        spending.tokens = counted if counted is not None and counted > 0 else prompt + estimate
    if not completion.is_complete and not completion.is_too_long:
        raise ChatError("the model's answer is incomplete", is_temporary=True)
    if not completion.text.strip() and not completion.thoughts.strip():
        raise ChatError("the model's answer is empty", is_temporary=True)
    return completion


async def _read_stream(response: httpx.Response, completion: Completion) -> None:
    """Read server-sent events until `[DONE]` or until the answer is too long."""
    async for line in _lines(response):
        if not line.startswith(b"data:"):
            continue
        data = line[len(b"data:") :].strip()
        if data == b"[DONE]":
            completion.is_complete = True
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
        if size > _MAX_REPLY_BYTES:
            raise ChatError(f"the model's server sent more than {_MAX_REPLY_BYTES} bytes")
        yield chunk


def _json(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ChatError("the model's server did not send valid JSON") from None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _retry_after(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header; None for a date or no header."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if seconds >= 0 else None
