"""Checks `bad-input` and `connection`: wrong calls get an error, and calls share a connection."""

import asyncio
import ssl
import statistics
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import orjson
from casino_agentkit import AgentError, TimedOut, Unreachable
from casino_agentkit.tls import client_context
from pydantic import RootModel

from casino.check.bot_under_test import BotUnderTest
from casino.check.findings import Exchange, Finding, Verdict, note, ok, recorded, skipped

BAD_INPUT: Final = "bad-input"
_HEADERS: Final = {"Content-Type": "application/json", "A2A-Version": "1.0"}
_BODIES: Final = (
    ("bytes that are no text", b"\x00\xff\xfe{{{" * 8),
    ("JSON that breaks off", b'{"jsonrpc": "2.0", "id": "1", "method": "SendMess'),
    ("a JSON list", b"[1, 2, 3]"),
    ("an object without params", b'{"jsonrpc": "2.0", "id": "1", "method": "SendMessage"}'),
    ("no body at all", b""),
    ("an unknown method", b'{"jsonrpc": "2.0", "id": "1", "method": "NoSuchMethod", "params": {}}'),
)
_FIXES: Final = {
    "dead-afterwards": "catch exceptions for each request: one that is wrong must not end the bot",
    "hangs-on-bad-input": "answer every request, also one that is no call: read only the bytes that"
    " Content-Length announces",
    "closes-on-bad-input": "answer with a JSON-RPC error (code -32700 or -32602) instead of closing"
    " the connection",
    "two-writes": "write head and body together: in http.server, wbufsize = -1 in the handler's"
    " class and one write; elsewhere set TCP_NODELAY",
    "no-keep-alive": 'keep the connection: protocol_version = "HTTP/1.1" in http.server, and a'
    " Content-Length in every reply",
    "closes-silently": "announce it with Connection: close, or keep the connection: a table that"
    " sends its next question into a closing connection gets no answer",
    "second-connection-hangs": "serve each connection in a thread or task of its own"
    " (ThreadingHTTPServer instead of HTTPServer)",
}


class _Anything(RootModel[Any]):
    """Any reply."""


async def check_bad_input(subject: BotUnderTest) -> list[Finding]:
    """Send bad input of every kind; after each the bot must answer a question."""
    if not subject.is_over_http:
        return [skipped(BAD_INPUT, "it is not called by HTTP")]
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
    return findings or [ok(BAD_INPUT, f"{len(_BODIES) + 2} bad inputs got an error")]


async def _sent(subject: BotUnderTest) -> AsyncIterator[tuple[str, Exchange, AgentError | None]]:
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


async def _posted(subject: BotUnderTest, body: bytes, seconds: float) -> AgentError | None:
    headers = {**_HEADERS, "Authorization": f"Bearer {subject.token}"}
    try:
        await subject.transport.send("POST", subject.called.url, headers, body, seconds)
    except AgentError as error:
        return error
    return None


async def _answers_unknown_skill(subject: BotUnderTest) -> Finding | None:
    if not subject.called.is_typed:
        return None
    answer = await subject.call("noSuchSkill", b"{}", _Anything, token=subject.token)
    if answer.failure is None:
        return note(BAD_INPUT, "it answers skills that it does not have (noSuchSkill)")
    return None


def _finding(name: str, verdict: Verdict, text: str, exchange: Exchange) -> Finding:
    return Finding(BAD_INPUT, verdict, text, name, _FIXES[name], exchange.sent, exchange.came)


_PORTS: Final = {"http": 80, "https": 443}
_END: Final = b"\r\n\r\n"


@dataclass(frozen=True)
class RawReply:
    """The head of one reply, which says what becomes of the connection, and how the body came."""

    head: bytes
    gap_s: float
    """From the head to the end of the body."""

    @property
    def says_close(self) -> bool:
        head = self.head.lower()
        return b"connection: close" in head or head.startswith(b"http/1.0")


async def replies_on_one_connection(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    times: int,
    within_s: float,
    tls: ssl.SSLContext | None = None,
) -> list[RawReply]:
    """Return the replies, fewer if the connection is closed. Raises OSError, TimeoutError."""
    parts = urlsplit(url)
    port = parts.port or _PORTS[parts.scheme]
    context = (tls or client_context()) if parts.scheme == "https" else None
    request = _request(url, headers, body)
    replies: list[RawReply] = []
    async with asyncio.timeout(within_s):
        reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=context)
        try:
            for _ in range(times):
                writer.write(request)
                head = await reader.readuntil(_END)
                seen = time.perf_counter()
                await _read_body(reader, head)
                replies.append(RawReply(head, time.perf_counter() - seen))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # closed: the replies so far are the answer
        finally:
            writer.close()
    return replies


def _request(url: str, headers: Mapping[str, str], body: bytes) -> bytes:
    parts = urlsplit(url)
    path = parts.path or "/"
    target = f"{path}?{parts.query}" if parts.query else path
    fields = {"Host": parts.netloc, **headers, "Content-Length": str(len(body))}
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + _END + body


async def _read_body(reader: asyncio.StreamReader, head: bytes) -> None:
    lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    fields = {name.strip().lower(): value.strip() for name, _, value in lines}
    if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            await reader.readexactly(size + 2)
        await reader.readuntil(b"\r\n")
    elif b"content-length" in fields:
        await reader.readexactly(int(fields[b"content-length"]))
    else:
        await reader.read(-1)


CONNECTION: Final = "connection"
_TIMES: Final = 20
_STALL_S: Final = 0.03
"""A delayed acknowledgement takes 40 ms."""


async def check_connection(subject: BotUnderTest) -> list[Finding]:
    """Send one invitation many times over one connection."""
    answer = await subject.invite(subject.invitation())
    sent = answer.exchange.last
    if not subject.is_over_http or sent is None or sent.method != "POST":
        return [skipped(CONNECTION, "it is not called by HTTP")]
    within_s = subject.clock.total_seconds() + _TIMES * max(_STALL_S, answer.seconds)
    try:
        replies = await replies_on_one_connection(
            sent.url, sent.headers, sent.body, _TIMES, within_s, subject.tls
        )
    except TimeoutError:
        text = f"a new connection got no answer within {within_s:.3g} s"
        return [_connection_finding(Verdict.FAULT, "second-connection-hangs", text)]
    except (OSError, ValueError) as error:
        return [
            _connection_finding(
                Verdict.FAULT, "closes-silently", f"a new connection failed: {error}"
            )
        ]
    return _judged(replies)


def _judged(replies: list[RawReply]) -> list[Finding]:
    if not replies:
        text = "a new connection was closed without an answer"
        return [_connection_finding(Verdict.FAULT, "closes-silently", text)]
    findings = []
    if len(replies) < _TIMES:
        is_announced = replies[-1].says_close
        name = "no-keep-alive" if is_announced else "closes-silently"
        said = "as it says" if is_announced else "without saying so"
        text = f"the connection is closed after {len(replies)} of {_TIMES} replies, {said}"
        findings.append(_connection_finding(Verdict.WARNING, name, text))
    gap_s = statistics.median(reply.gap_s for reply in replies)
    if gap_s > _STALL_S:
        text = (
            f"the body of a reply arrives {gap_s * 1000:.0f} ms after its head: they are written"
            " apart, and TCP (Nagle, delayed acknowledgement) holds the body back"
        )
        findings.append(_connection_finding(Verdict.WARNING, "two-writes", text))
    return findings or [
        ok(CONNECTION, f"{_TIMES} calls over one connection, each reply in one piece")
    ]


def _connection_finding(verdict: Verdict, name: str, text: str) -> Finding:
    return Finding(CONNECTION, verdict, text, name, _FIXES[name])
