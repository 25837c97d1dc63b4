"""What a check finds: the exchange with the bot, its failure, a verdict and how to mend it."""

import asyncio
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import orjson
from casino_agentkit import (
    AgentError,
    Disconnected,
    HttpReply,
    Malformed,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Transport,
    Unreachable,
)
from casino_agentkit.client.transport import Dialling, Endpoint


class Verdict(StrEnum):
    """The result of a check; only a fault makes a bot unfit for a table."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    FAULT = "fault"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Finding:
    """One finding of one check."""

    check: str
    verdict: Verdict
    text: str
    """What was found, in one sentence."""
    name: str = ""
    """The name of a fault or warning, such as `illegal-action`; "" for other findings."""
    fix: str = ""
    """What to change in the bot."""
    sent: str = field(default="", repr=False)
    """What the bot was sent, as it was sent."""
    came: str = field(default="", repr=False)
    """What it answered, as it came."""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object, without empty fields."""
        fields = {
            "check": self.check, "verdict": self.verdict.value, "name": self.name,
            "text": self.text, "fix": self.fix, "sent": self.sent, "came": self.came,
        }  # fmt: skip
        return {key: value for key, value in fields.items() if value}


def ok(check: str, text: str) -> Finding:
    return Finding(check, Verdict.OK, text)


def note(check: str, text: str) -> Finding:
    """Return something worth knowing that needs no change."""
    return Finding(check, Verdict.NOTE, text)


def skipped(check: str, reason: str) -> Finding:
    return Finding(check, Verdict.SKIPPED, reason)


_SHOWN: Final = 400


@dataclass
class SentCall:
    """One request, and its reply if one came."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    reply: HttpReply | None = None
    seconds: float = 0.0


@dataclass
class Exchange:
    """All requests of one call."""

    requests: list[SentCall] = field(default_factory=list)

    @property
    def last(self) -> SentCall | None:
        """The last request; None if none was sent."""
        return self.requests[-1] if self.requests else None

    @property
    def body(self) -> bytes:
        """The body of the last reply, b"" if none came."""
        reply = self.last.reply if self.last else None
        return bytes(reply.body) if reply else b""

    @property
    def came(self) -> str:
        """The last reply as one line: status and body."""
        reply = self.last.reply if self.last else None
        return f"HTTP {reply.status}: {shown_bytes(bytes(reply.body))}" if reply else "nothing"

    @property
    def sent(self) -> str:
        if self.last is None:
            return ""
        line = f"{self.last.method} {self.last.url}"
        return f"{line} {shown_bytes(self.last.body)}" if self.last.body else line


_CURRENT: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@contextmanager
def recorded() -> Iterator[Exchange]:
    """Record the requests that are sent in this context."""
    exchange = Exchange()
    token = _CURRENT.set(exchange)
    try:
        yield exchange
    finally:
        _CURRENT.reset(token)


class RecordingTransport:
    """A transport that records every request for the call that sends it."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float
    ) -> HttpReply:
        sent = SentCall(method, url, headers, body)
        if (exchange := _CURRENT.get()) is not None:
            exchange.requests.append(sent)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            sent.reply = await self.inner.send(method, url, headers, body, timeout_s)
        finally:
            sent.seconds = loop.time() - begun
        return sent.reply

    async def check_link(self, source: str, target: str) -> None:
        await self.inner.check_link(source, target)

    async def endpoint(self, url: str) -> Endpoint:
        if not isinstance(self.inner, Dialling):
            raise Unreachable(url, "a function has no address")
        return await self.inner.endpoint(url)

    async def close(self) -> None:
        """Close all connections; the next request opens new ones."""
        await self.inner.close()


def shown_bytes(content: bytes) -> str:
    """Return content as one line of bounded length."""
    text = content[: 4 * _SHOWN].decode(errors="backslashreplace")
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


EXCEPTION: Final = "EXCEPTION"
"""The reason of a function of a file that raised an exception."""

_ILLEGAL: Final = (
    ("did you mean", "amount-as-increment"),
    ("needs amount", "amount-missing"),
    ("is below the smallest", "amount-out-of-range"),
    ("is above the largest", "amount-out-of-range"),
    ("is not possible now", "illegal-action"),
    ("amount ", "amount-off-unit"),
)
"""Parts of the table's sentences, and the names of the faults."""
_NO_NUMBER: Final = "no JSON number"
_MALFORMED: Final = (
    ("neither a message nor a task", "result-missing"),
    (_NO_NUMBER, "nan"),
    ("no JSON object", "prose"),
    ("is not JSON: ", "not-json"),
    *((part, "undecided") for part in ("two answers: ", "different answers", "no decision, ")),
    ("is taken back by ", "undecided"),
)
"""Parts of the sentences about answers that cannot be read, and the names of the faults."""
_TEXTS: Final = {
    "other-version": "the card says A2A 0.3, so the bot was called by it; the reply is of A2A 1.0",
}
"""Sentences that say more than the error, by the name of the failure."""
_OLDER_CALL: Final = b'"message/send"'
"""The method of a call of A2A 0.3."""
_TOO_LARGE: Final = re.compile(r"larger than \d+ bytes|too many values|nested deeper")

FIXES: Final = {
    "no-answer-in-time": "answer every call within the clock (deadlineMs), or set clockMs in the"
    " reply to signup; look for a loop that does not end, or a wait without a limit",
    "closed-without-answer": "catch exceptions in the handler and send a reply; the bot's own log"
    " has the traceback",
    "unreachable": "start the bot, and listen on the address that its card advertises",
    "http-status": "answer a call with status 200; a refusal is a JSON-RPC error",
    "envelope-missing": 'send {"jsonrpc": "2.0", "id": <that of the request>, "result":'
    ' {"message": {…}}}, with the answer in the data of a part',
    "other-id": "copy id from the request to the reply",
    "result-missing": 'send result with {"message": {"role": "ROLE_AGENT", "messageId": "…",'
    ' "parts": [{"data": {…}}]}}',
    "other-version": "add supportedInterfaces of A2A 1.0 to the card, or answer as A2A 0.3 does:"
    ' result is the message itself, with "kind": "message"',
    "not-json": "send the reply, and the answer in it, as JSON, such as json.dumps writes it",
    "nan": "NaN and Infinity are no JSON: json.dumps(…, allow_nan=False) finds where they come"
    " from",
    "too-large": "send the action alone, without the request or the history",
    "prose": 'answer with JSON: {"action": "fold"}; text belongs into message or reasoning',
    "undecided": "end with one JSON object, and give no other action as the decision",
    "null-answer": 'return an object, such as {"action": "fold"}: a branch of the bot returns'
    " nothing",
    "defaulted": "mend what the reason names, such as key, model, budget or clock: a table counts a"
    " default as missed, and lets the seat sit out after three in a row",
    "amount-not-a-number": 'send amount as a JSON number: {"action": "raise", "amount": 68}',
    "unknown-action": "action is one of legalActions, in the same spelling: lower case",
    "malformed-answer": "send the fields and types of the reply's schema (docs/protocol.md)",
    "illegal-action": "choose only from legalActions of the question: it is exactly what is"
    " accepted",
    "amount-as-increment": "amount is a total for this betting round (raise to), not what is"
    " added: currentBet plus the raise",
    "amount-missing": "add amount to bet and raise, from minRaiseTo to maxRaiseTo",
    "amount-out-of-range": "keep amount between minRaiseTo and maxRaiseTo of the question",
    "amount-off-unit": "round amount to the table's unit, the smallest decimal place in the"
    " question's amounts",
    "refused": "answer the call instead of refusing it; the message is the bot's own",
    "exception": "mend the line that is named",
}
"""What to change, by the name of the failure."""


@dataclass(frozen=True)
class Failure:
    """A call that a table cannot use."""

    name: str
    text: str

    @property
    def fix(self) -> str:
        return FIXES.get(self.name, "")


def failure_of(error: AgentError, exchange: Exchange) -> Failure:
    name = _name_of(error, exchange)
    return Failure(name, _TEXTS.get(name, error.message + _value_of(error)))


def illegal(message: str) -> Failure:
    reason, _, _ = message.partition("; legal are")
    name = next((name for part, name in _ILLEGAL if part in reason), "illegal-action")
    return Failure(name, f"{'amount' if name.startswith('amount') else 'action'}: {message}")


def _name_of(error: AgentError, exchange: Exchange) -> str:
    if isinstance(error, Unreachable):
        return "closed-without-answer" if isinstance(error, Disconnected) else "unreachable"
    if isinstance(error, RemoteRefused):
        if error.reason != EXCEPTION:
            return "refused"
        return "nan" if _NO_NUMBER in error.message else "exception"
    if isinstance(error, TimedOut):
        return "no-answer-in-time"
    if _TOO_LARGE.search(error.message):
        return "too-large"
    return _fault_of(error, exchange) if isinstance(error, ProtocolFault) else _malformed(error)


def _fault_of(error: ProtocolFault, exchange: Exchange) -> str:
    if error.status:
        return "http-status"
    value, has_nan = read_json(exchange.body)
    if has_nan:
        return "nan"
    if value is None:
        return "not-json"
    if not isinstance(value, dict) or "jsonrpc" not in value:
        return "envelope-missing"
    return _envelope_fault(error, value, exchange)


def _envelope_fault(error: ProtocolFault, value: dict[str, Any], exchange: Exchange) -> str:
    if "copy id from the request" in error.message:
        return "other-id"
    result = value.get("result")
    if isinstance(result, dict) and "message" in result and _is_older(exchange):
        return "other-version"
    return "result-missing"


def _is_older(exchange: Exchange) -> bool:
    return exchange.last is not None and _OLDER_CALL in exchange.last.body


def _malformed(error: AgentError) -> str:
    if not isinstance(error, Malformed):
        return "malformed-answer"
    if name := next((name for part, name in _MALFORMED if part in error.message), ""):
        return name
    if not isinstance(error.content, dict):
        return "null-answer" if error.content is None else "malformed-answer"
    return _wrong_field(error.message, error.content)


def _wrong_field(message: str, answer: dict[str, Any]) -> str:
    if message.startswith('action: must be "'):
        return "unknown-action"
    if not message.startswith("amount: "):
        return "malformed-answer"
    amount = answer.get("amount")
    is_number = isinstance(amount, int | float) and not isinstance(amount, bool)
    return "amount-out-of-range" if is_number else "amount-not-a-number"


def _value_of(error: AgentError) -> str:
    """Return what stands where an answer is wrong first, such as `; it is "68"`; "" if nothing."""
    path, colon, _ = error.message.partition(": ")
    value: Any = error.content if isinstance(error, Malformed) and colon else None
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return ""
        value = value[name]
    return f"; it is {shown_bytes(orjson.dumps(value))}"


def read_json(body: bytes) -> tuple[Any, bool]:
    """Return the value of a body, None if it is no JSON, and whether it has NaN or Infinity."""
    constants: list[str] = []

    def constant(name: str) -> float:
        constants.append(name)
        return math.nan

    try:
        value = json.loads(body, parse_constant=constant)
    except (ValueError, RecursionError):
        return None, bool(constants)
    return value, bool(constants)
