"""A language model that a player asks: attempts, budget, and what each decision cost.

The caller limits the time (`asyncio.timeout`); this module limits tokens, money and sizes. Errors
have the provider's own words, without the key and without the prompt, which has cards.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2
from casino_agentkit import Waits
from casino_contracts import WaitReason
from pydantic_ai import exceptions
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from casino_player_example.errors import ModelFailed, ReplyTooLarge
from casino_player_example.model_costs import Expense, ModelBudget, tokens_in
from casino_player_example.provider_words import said_in_body, scrubbed

Message = dict[str, str]
_TEMPORARY = {408, 409, 425, 429}
_OF_ONE_QUESTION = {400, 413, 422}
"""Statuses that say nothing about the next question."""
_SERVER_FAILED = 500
_FIRST_WAIT_S = 0.5
_MAX_TEXT = 64_000
_END_OF_THOUGHT = "</think>"
_GREETING: list[Message] = [
    {"role": "system", "content": "You are about to play cards."},
    {"role": "user", "content": "Answer with the single word: ready"},
]
_ADVICE = {
    400: "the provider does not take the request: compare the settings CASINO_PLAYER_LLM_…",
    401: "check the key",
    402: "check the balance of the account",
    403: "check the key and what it may use",
    404: "check the model's name and the base URL",
    429: "wait, or check the limits of the account",
}


@dataclass(frozen=True)
class Completion:
    """A model's answer: its text, its thoughts, and the arguments of the tools that it called."""

    text: str = ""
    thoughts: str = ""
    calls: tuple[tuple[str, dict[str, Any] | None], ...] = ()
    """The names of tools and their arguments; None for arguments that are no JSON object."""
    is_cut: bool = False
    """Whether it ends where its tokens ended."""


@dataclass(frozen=True, kw_only=True)
class CallOptions:
    """How a model is called; None leaves a choice to its provider."""

    max_tokens: int
    stream: bool = True
    temperature: float | None = None
    effort: str | None = None
    """How long it thinks: `minimal` to `max`, or `none`."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] = field(default_factory=dict)
    attempts: int = 2
    concurrency: int = 16

    def settings(self) -> ModelSettings:
        """Return them as the library takes them, without its own attempts."""
        optional = {
            "temperature": self.temperature,
            "thinking": False if self.effort == "none" else self.effort,
            "extra_headers": dict(self.headers) or None,
            "extra_body": dict(self.body) or None,
        }
        given = {name: value for name, value in optional.items() if value is not None}
        return {"max_tokens": self.max_tokens, "max_retries": 0, **given}  # type: ignore[typeddict-item]


class LanguageModel:
    """A model behind a provider, asked by all players of a process.

    `secrets` never stand in an error. It takes ownership of `http`: `close` it. While its provider
    is away, all players wait for it.
    """

    def __init__(
        self,
        model: Model,
        http: httpx2.AsyncClient,
        options: CallOptions,
        budget: ModelBudget,
        *,
        waits: Waits,
        secrets: Sequence[str] = (),
        key_variable: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = model.model_name
        self._model, self._http = model, http
        self._options, self._settings = options, options.settings()
        self.budget = budget
        self._waits = waits
        self._secrets = [*secrets, *options.headers.values()]
        self._key_variable = key_variable
        self._clock = clock
        self._free = asyncio.Semaphore(options.concurrency)
        self._is_priced = self._price(1000, 1000) is not None

    @property
    def is_priced(self) -> bool:
        """Whether the price of a call is known."""
        return self._is_priced

    async def close(self) -> None:
        await self._http.aclose()

    async def ask(
        self, messages: Sequence[Message], expense: Expense, left_s: Callable[[], float]
    ) -> Completion:
        """Return the answer, after further attempts where a failure is temporary.

        `left_s` returns the seconds that are left; `expense` grows by every attempt, also by one
        that is cancelled. Raises ModelFailed, BudgetSpent.
        """
        wait = _FIRST_WAIT_S
        for attempts_left in reversed(range(self._options.attempts)):
            try:
                async with self._free:
                    return await self._attempt(messages, expense)
            except ModelFailed as error:
                if not error.is_temporary or not attempts_left:
                    raise
                wait, pause = wait * 2, wait if error.wait is None else error.wait
                if pause >= (left := max(0.0, left_s())):
                    why = f"{error}; it is to be asked again in {pause:g} s, {left:.1f} s are left"
                    raise ModelFailed(
                        why, status=error.status, wait=error.wait, is_away=error.is_away
                    ) from None
                await asyncio.sleep(pause)
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def probe(self, *, within_s: float = 30.0) -> None:
        """Ask one tiny question, before a seat is taken.

        Raises ModelFailed with the provider's own words and what to do, and BudgetSpent.
        """
        ends_at = self._clock() + within_s
        try:
            async with asyncio.timeout(within_s):
                await self.ask(_GREETING, Expense(), lambda: ends_at - self._clock())
        except TimeoutError:
            why = f"{self.name} did not answer within {within_s:g} s: try it again, or another one"
            raise ModelFailed(why, is_temporary=True) from None
        except ModelFailed as error:
            advice = _ADVICE.get(error.status or 0, "")
            if error.status in {401, 403} and self._key_variable:
                advice += f" in {self._key_variable}"
            if error.status is None and error.is_free:
                at = scrubbed(self._model.base_url or "", secrets=self._secrets)
                advice = f"check that a server runs at {at}"
            why = f"{self.name} does not answer: {error}"
            raise ModelFailed(f"{why} ({advice})" if advice else why, status=error.status) from None

    async def _attempt(self, messages: Sequence[Message], expense: Expense) -> Completion:
        prompt = sum(tokens_in(message["content"]) for message in messages)
        most = self._price(prompt, self._options.max_tokens)
        with self.budget.reserve(prompt + self._options.max_tokens, most or 0.0) as spending:
            expense.attempts += 1
            paid, expense.usd = expense.usd, None  # until it is known
            began = self._clock()
            try:
                response = await self._call(messages)
            except Exception as error:  # noqa: BLE001  what a library raises for an answer is any
                failure = self._failure(error, messages)
                if failure.is_away:
                    self._waits.begin(WaitReason.PROVIDER_AWAY, self.name, str(failure))
                else:
                    self._waits.end(WaitReason.PROVIDER_AWAY, self.name)
                if failure.is_free:
                    spending.tokens, spending.usd = 0, 0.0
                    expense.usd = paid if self._is_priced else None
                raise failure from None
            finally:
                expense.seconds += self._clock() - began
            self._waits.end(WaitReason.PROVIDER_AWAY, self.name)
            used, usd = response.usage, self._cost(response)
            counted = used.input_tokens + used.output_tokens
            expense.input_tokens += used.input_tokens
            expense.output_tokens += used.output_tokens
            expense.cached_tokens += used.cache_read_tokens
            expense.reasoning_tokens += used.output_reasoning_tokens
            completion = _completion_of(response)
            if counted:
                expense.usd = paid
                expense.pay(usd)
                spending.tokens, spending.usd = counted, spending.usd if usd is None else usd
            else:
                said = completion.text + completion.thoughts
                spending.tokens = prompt + tokens_in(said)
            self._check(response, completion, messages)
            return completion

    async def _call(self, messages: Sequence[Message]) -> ModelResponse:
        asked, parameters = _as_history(messages), ModelRequestParameters()
        if not self._options.stream:
            return await self._model.request(asked, self._settings, parameters)
        async with self._model.request_stream(asked, self._settings, parameters) as stream:
            async for _event in stream:
                pass
            return stream.get()

    def _check(
        self, response: ModelResponse, completion: Completion, messages: Sequence[Message]
    ) -> None:
        """Raise ModelFailed if a response is no answer."""
        details = response.provider_details or {}
        if refusal := details.get("refusal"):
            raise ModelFailed(self._scrubbed(f"refused: {refusal}", messages))
        if response.finish_reason == "content_filter":
            raise ModelFailed(
                self._scrubbed(f"content filter: {completion.text or 'no answer'}", messages)
            )
        if response.state == "incomplete" and not completion.is_cut:
            raise ModelFailed("the answer broke off", is_temporary=True)
        if not (completion.text or completion.thoughts or completion.calls or completion.is_cut):
            raise ModelFailed("the answer is empty", is_temporary=True)

    def _failure(self, error: Exception, messages: Sequence[Message]) -> ModelFailed:
        if large := _cause(error, ReplyTooLarge):
            return ModelFailed(str(large))
        if isinstance(error, exceptions.ModelHTTPError):
            status = error.status_code
            said = self._scrubbed(f"HTTP {status}: {said_in_body(error.body)}", messages)
            is_spent = isinstance(error, exceptions.ModelQuotaExceededError)
            return ModelFailed(
                said.removesuffix(": "),
                status=status,
                wait=error.retry_after,
                is_temporary=not is_spent and (status in _TEMPORARY or status >= _SERVER_FAILED),
                is_free=not error.in_stream,
                is_away=not error.in_stream and status not in _OF_ONE_QUESTION,
            )
        if isinstance(error, exceptions.ModelConnectionError):
            cause = _cause(error, httpx2.HTTPError) or error
            text = f"the connection failed: {cause} ({type(cause).__name__})"
            said = self._scrubbed(text, messages)
            is_free = error.phase in {"pool", "connect"}
            return ModelFailed(
                said, is_temporary=True, is_free=is_free, is_away=not error.in_stream
            )
        if isinstance(error, exceptions.ModelAPIError) and error.in_stream:
            said = said_in_body(error.body) or error.message
            return ModelFailed(self._scrubbed(said, messages), is_temporary=True)
        text = f"the provider's answer cannot be read: {error}"
        return ModelFailed(self._scrubbed(text, messages))

    def _scrubbed(self, text: str, messages: Sequence[Message]) -> str:
        prompt = [message["content"] for message in messages]
        return scrubbed(text, secrets=self._secrets, prompt=prompt)

    def _price(self, input_tokens: int, output_tokens: int) -> float | None:
        """Return the price of a call in US dollars; None if it is not known."""
        usage = RequestUsage(input_tokens=input_tokens, output_tokens=output_tokens)
        response = ModelResponse(parts=[], usage=usage, model_name=self.name)
        response.provider_name, response.provider_url = self._model.system, self._model.base_url
        return self._cost(response)

    def _cost(self, response: ModelResponse) -> float | None:
        try:
            return float(response.cost().total_price)
        except (AssertionError, LookupError, ValueError):
            return None


def _completion_of(response: ModelResponse) -> Completion:
    texts, thoughts, calls = [], [], []
    for part in response.parts:
        if isinstance(part, TextPart):
            texts.append(part.content)
        elif isinstance(part, ThinkingPart):
            # In a stream, the library does not see the end of a thought that is in two pieces.
            thought, _, text = part.content.partition(_END_OF_THOUGHT)
            thoughts.append(thought)
            texts.append(text)
        elif isinstance(part, ToolCallPart):
            calls.append((part.tool_name, _arguments(part.args)))
    return Completion(
        "".join(texts)[:_MAX_TEXT].strip(),
        "\n".join(thoughts)[:_MAX_TEXT].strip(),
        tuple(calls),
        is_cut=response.finish_reason == "length",
    )


def _arguments(arguments: object) -> dict[str, Any] | None:
    if isinstance(arguments, str) and arguments.strip():
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    given = arguments or {}
    return given if isinstance(given, dict) else None


def _as_history(messages: Sequence[Message]) -> list[ModelMessage]:
    history: list[ModelMessage] = []
    for message in messages:
        text = message["content"]
        if message["role"] == "assistant":
            history.append(ModelResponse(parts=[TextPart(text)]))
            continue
        part = SystemPromptPart(text) if message["role"] == "system" else UserPromptPart(text)
        if history and isinstance(history[-1], ModelRequest):
            history[-1] = ModelRequest(parts=[*history[-1].parts, part])
        else:
            history.append(ModelRequest(parts=[part]))
    return history


def _cause(error: BaseException | None, kind: type[Exception]) -> BaseException | None:
    """Return the first of a kind among an error and what it came from; None without one."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error
