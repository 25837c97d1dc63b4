"""Check `connection`: it is kept for the next call, and replies come in one piece."""

import statistics
from typing import Final

from casino.check.finding import Finding, Verdict, ok, skipped
from casino.check.raw_connection import RawReply, replies_on_one_connection
from casino.check.subject import Subject

CHECK: Final = "connection"
_TIMES: Final = 20
_STALL_S: Final = 0.03
"""A delayed acknowledgement takes 40 ms."""
_FIXES: Final = {
    "two-writes": "write head and body together: in http.server, wbufsize = -1 in the handler's"
    " class and one write; elsewhere set TCP_NODELAY",
    "no-keep-alive": 'keep the connection: protocol_version = "HTTP/1.1" in http.server, and a'
    " Content-Length in every reply",
    "closes-silently": "announce it with Connection: close, or keep the connection: a table that"
    " sends its next question into a closing connection gets no answer",
    "second-connection-hangs": "serve each connection in a thread or task of its own"
    " (ThreadingHTTPServer instead of HTTPServer)",
}


async def check_connection(subject: Subject) -> list[Finding]:
    """Send one invitation many times over one connection."""
    answer = await subject.invite(subject.invitation())
    sent = answer.exchange.last
    if not subject.is_over_http or sent is None or sent.method != "POST":
        return [skipped(CHECK, "it is not called by HTTP")]
    within_s = subject.clock.total_seconds() + _TIMES * max(_STALL_S, answer.seconds)
    try:
        replies = await replies_on_one_connection(
            sent.url, sent.headers, sent.body, _TIMES, within_s, subject.tls
        )
    except TimeoutError:
        text = f"a new connection got no answer within {within_s:.3g} s"
        return [_finding(Verdict.FAULT, "second-connection-hangs", text)]
    except (OSError, ValueError) as error:
        return [_finding(Verdict.FAULT, "closes-silently", f"a new connection failed: {error}")]
    return _judged(replies)


def _judged(replies: list[RawReply]) -> list[Finding]:
    if not replies:
        text = "a new connection was closed without an answer"
        return [_finding(Verdict.FAULT, "closes-silently", text)]
    findings = []
    if len(replies) < _TIMES:
        is_announced = replies[-1].says_close
        name = "no-keep-alive" if is_announced else "closes-silently"
        said = "as it says" if is_announced else "without saying so"
        text = f"the connection is closed after {len(replies)} of {_TIMES} replies, {said}"
        findings.append(_finding(Verdict.WARNING, name, text))
    gap_s = statistics.median(reply.gap_s for reply in replies)
    if gap_s > _STALL_S:
        text = (
            f"the body of a reply arrives {gap_s * 1000:.0f} ms after its head: they are written"
            " apart, and TCP (Nagle, delayed acknowledgement) holds the body back"
        )
        findings.append(_finding(Verdict.WARNING, "two-writes", text))
    return findings or [ok(CHECK, f"{_TIMES} calls over one connection, each reply in one piece")]


def _finding(verdict: Verdict, name: str, text: str) -> Finding:
    return Finding(CHECK, verdict, text, name, _FIXES[name])
