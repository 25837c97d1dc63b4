"""Send a question of the past to an agent, and judge the answer as a table does."""

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
from casino_agentkit import (
    AgentClient,
    AgentError,
    Disconnected,
    KitReason,
    Malformed,
    RemoteRefused,
    TimedOut,
    Transport,
    Unreachable,
)
from casino_contracts import ActionRequest, ActionResponse, GameActionResponse

from casino.ask.question import PastQuestion
from casino.check.practice import Practice

_CARD_TIMEOUT = timedelta(seconds=5)
_BRIEF = "You are a player in a game and it is your turn. Choose one of the legal actions."
_DEFAULT_CLOCK = timedelta(seconds=10)

Answer = ActionResponse | GameActionResponse


@dataclass(frozen=True)
class Judged:
    """An agent's answer, if it is one, and why a table would refuse it, if it would."""

    answer: dict[str, Any] | None
    reason: str | None
    latency_ms: float
    is_token_missing: bool = False
    """Whether the agent answers only whoever presents its seat token."""

    @property
    def is_accepted(self) -> bool:
        """Whether a table would play the answer."""
        return self.reason is None


def clock_of(question: PastQuestion) -> timedelta:
    """Return the time that the player had."""
    left_ms = question.message.deadline_ms
    if left_ms is None:
        return _DEFAULT_CLOCK
    return timedelta(milliseconds=left_ms + (question.message.time_bank_ms or 0))


async def ask(
    url: str,
    question: PastQuestion,
    *,
    skill: str,
    clock: timedelta,
    token: str | None = None,
    transport: Transport | None = None,
) -> Judged:
    """Ask the agent whose card, or base URL, this is; a failure to answer is judged too.

    Raises CallFailed if no table can judge the answer.
    """
    client = AgentClient(transport)
    reply: type[Answer] = (
        ActionResponse if isinstance(question.message, ActionRequest) else GameActionResponse
    )
    began = time.perf_counter()
    try:
        agent = await client.resolve(url, timeout=_CARD_TIMEOUT)
        began = time.perf_counter()
        answer = await agent.call(
            skill,
            orjson.dumps(question.sent),
            reply,
            timeout=clock,
            brief=_BRIEF,
            token=token,
        )
    except AgentError as error:
        taken = time.perf_counter() - began
        content = error.content if isinstance(error, Malformed) else None
        return Judged(
            content if isinstance(content, dict) else None,
            _failure(error),
            _milliseconds(taken),
            isinstance(error, RemoteRefused) and error.reason == KitReason.UNAUTHORIZED,
        )
    else:
        taken = time.perf_counter() - began
        sent = answer.model_dump(mode="json")
        return Judged(sent, await _objection(question.sent, sent), _milliseconds(taken))
    finally:
        await client.close()


async def _objection(question: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """Return why a table would refuse the answer; None if it would play it."""
    table = await Practice.start()
    try:
        return (await table.review(question, answer)).illegal or None
    finally:
        await table.close()


def _failure(error: AgentError) -> str:
    if isinstance(error, Unreachable) and not isinstance(error, Disconnected):
        return f"cannot be reached: {error}"
    if isinstance(error, TimedOut):
        return f"too late: {error.message}"
    return error.message


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 1)
