"""Check `bad-input`: what is no call gets an error in time, and the bot answers afterwards."""

from collections.abc import AsyncIterator
from typing import Any, Final

import orjson
from casino_agentkit import AgentError, TimedOut, Unreachable
from pydantic import RootModel

from casino.check.exchange import Exchange, recorded
from casino.check.finding import Finding, Verdict, note, ok, skipped
from casino.check.subject import Subject

CHECK: Final = "bad-input"
_HEADERS: Final = {"Content-Type": "application/json", "A2A-Version": "1.0"}
_BODIES: Final = (
    ("bytes that are no text", b"\x00\xff\xfe{{{" * 8),
    ("JSON that breaks off", b'{"jsonrpc": "2.0", "id": "1", "method": "SendMess'),
    ("a JSON list", b"[1, 2, 3]"),
    ("an object without params", b'{"jsonrpc": "2.0", "id": "1", "method": "SendMessage"}'),
    ("no body at all", b""),
    (
        "an unknown method",
        b'{"jsonrpc": "2.0", "id": "1", "method": "NoSuchMethod", "params": {}}',
    ),
)
_FIXES: Final = {
    "dead-afterwards": "catch exceptions for each request: one that is wrong must not end the bot",
    "hangs-on-bad-input": "answer every request, also one that is no call: read only the bytes that"
    " Content-Length announces",
    "closes-on-bad-input": "answer with a JSON-RPC error (code -32700 or -32602) instead of closing"
    " the connection",
}


class _Anything(RootModel[Any]):
    """Any reply."""


async def check_bad_input(subject: Subject) -> list[Finding]:
    """Send bad input of every kind; after each the bot must answer a question."""
    if not subject.is_over_http:
        return [skipped(CHECK, "it is not called by HTTP")]
    closed: list[tuple[str, Exchange]] = []
    task, _ = subject.answers[0]
    async for what, exchange, error in _sent(subject):
        if isinstance(error, TimedOut):
            return [_finding("hangs-on-bad-input", Verdict.FAULT, f"{what}: no answer", exchange)]
        if isinstance(error, Unreachable):
            closed.append((what, exchange))
        await subject.reconnect()  # an error may end the connection, but not the bot
        probe = await subject.ask_anew(task)
        if probe.failure:
            text = f"after {what} it does not answer questions any more: {probe.failure.text}"
            return [_finding("dead-afterwards", Verdict.FAULT, text, exchange)]
    findings = []
    if closed:
        what, exchange = closed[0]
        text = f"{what}: the connection is closed without an answer ({len(closed)} inputs)"
        findings.append(_finding("closes-on-bad-input", Verdict.WARNING, text, exchange))
    if (answered := await _answers_unknown_skill(subject)) is not None:
        findings.append(answered)
    return findings or [ok(CHECK, f"{len(_BODIES) + 2} bad inputs got an error")]


async def _sent(subject: Subject) -> AsyncIterator[tuple[str, Exchange, AgentError | None]]:
    """Send each bad input; yields what it was, the exchange, and what failed."""
    seconds = subject.clock.total_seconds()
    for what, body in _BODIES:
        with recorded() as exchange:
            error = await _posted(subject, body, seconds)
        yield what, exchange, error
    skill = subject.signup.action_skill if subject.signup else "act"
    for what, message in (("a question without fields", {}), ("a question of null", None)):
        with recorded() as exchange:
            error = None
            try:
                await subject.called.call(
                    skill,
                    orjson.dumps(message),
                    _Anything,
                    timeout=subject.clock,
                    token=subject.token,
                )
            except AgentError as failed:
                error = failed
        yield what, exchange, error


async def _posted(subject: Subject, body: bytes, seconds: float) -> AgentError | None:
    headers = {**_HEADERS, "Authorization": f"Bearer {subject.token}"}
    try:
        await subject.transport.send("POST", subject.called.url, headers, body, seconds)
    except AgentError as error:
        return error
    return None


async def _answers_unknown_skill(subject: Subject) -> Finding | None:
    """Return a note if a skill that there cannot be is answered."""
    if not subject.called.is_typed:
        return None
    answer = await subject.call("noSuchSkill", b"{}", _Anything, token=subject.token)
    if answer.failure is None:
        return note(CHECK, "it answers skills that it does not have (noSuchSkill)")
    return None


def _finding(name: str, verdict: Verdict, text: str, exchange: Exchange) -> Finding:
    return Finding(CHECK, verdict, text, name, _FIXES[name], exchange.sent, exchange.came)
