"""Name the failure of a call, from the errors that lobby and table see, with the fix."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final

from casino_agentkit import (
    AgentError,
    Disconnected,
    Malformed,
    ProtocolFault,
    RemoteRefused,
    TimedOut,
    Unreachable,
)

from casino.check.exchange import Exchange

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
    "not-json": "send the reply as JSON, without text around it",
    "nan": "NaN and Infinity are no JSON: json.dumps(…, allow_nan=False) finds where they come"
    " from",
    "too-large": "send the action alone, without the request or the history",
    "prose": 'answer with JSON: {"action": "fold"}; text belongs into message or reasoning',
    "null-answer": 'return an object, such as {"action": "fold"}: a branch of the bot returns'
    " nothing",
    "unknown-action": "action is one of legalActions, in the same spelling: lower case",
    "malformed-answer": "send the fields and types of the reply's schema (docs/wire.md)",
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
        """What to change in the bot."""
        return FIXES.get(self.name, "")


def failure_of(error: AgentError, exchange: Exchange) -> Failure:
    """Return the failure of a call, by the error that a table would see."""
    name = _name_of(error, exchange)
    return Failure(name, _TEXTS.get(name, error.message))


def illegal(message: str) -> Failure:
    """Return the failure of an illegal answer, by the table's sentence."""
    reason, _, _ = message.partition("; legal are")
    name = next((name for part, name in _ILLEGAL if part in reason), "illegal-action")
    return Failure(name, message)


def _name_of(error: AgentError, exchange: Exchange) -> str:
    if isinstance(error, Unreachable):
        return "closed-without-answer" if isinstance(error, Disconnected) else "unreachable"
    if isinstance(error, RemoteRefused):
        return "exception" if error.reason == EXCEPTION else "refused"
    if isinstance(error, TimedOut):
        return "no-answer-in-time"
    if _TOO_LARGE.search(error.message):
        return "too-large"
    return _fault_of(error, exchange) if isinstance(error, ProtocolFault) else _malformed(error)


def _fault_of(error: ProtocolFault, exchange: Exchange) -> str:
    """Name a reply that is no reply of A2A, by its body."""
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
    """Name the fault of a JSON-RPC response."""
    if "copy id from the request" in error.message:
        return "other-id"
    result = value.get("result")
    if isinstance(result, dict) and "message" in result and _is_older(exchange):
        return "other-version"
    return "result-missing"


def _is_older(exchange: Exchange) -> bool:
    """Return whether a call was sent by A2A 0.3."""
    return exchange.last is not None and _OLDER_CALL in exchange.last.body


def _malformed(error: AgentError) -> str:
    """Name an answer that does not conform to its schema."""
    if not isinstance(error, Malformed):
        return "malformed-answer"
    if "neither a message nor a task" in error.message:
        return "result-missing"
    if "no JSON object" in error.message:
        return "nan" if "no JSON number" in error.message else "prose"
    if not isinstance(error.content, dict):
        return "null-answer" if error.content is None else "malformed-answer"
    action = error.content.get("action")
    return "unknown-action" if isinstance(action, str) else "malformed-answer"


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
