"""One bot is checked in this process, by a table's desk without a process of its own."""

import ssl
from datetime import timedelta
from typing import Any

import orjson
from casino.check.examination import examine
from casino.check.exchange import RecordingTransport
from casino.check.finding import Finding, Verdict
from casino.check.function_bot import ADDRESS, FunctionBot, is_file
from casino.check.practice import Practice
from casino.check.subject import Subject
from casino_agentkit import HttpTransport
from casino_table.practice.desk import Desk


class PracticeHere(Practice):
    """The desk in this process."""

    def __init__(self) -> None:
        self._desk = Desk()

    async def close(self) -> None:
        """Do nothing: there is no process."""

    async def _reply(self, **order: Any) -> dict[str, Any]:
        reply: dict[str, Any] = orjson.loads(orjson.dumps(self._desk.reply(orjson.dumps(order))))
        assert "invalid" not in reply, reply
        return reply


async def checked(
    target: str, clock_s: float = 10.0, seed: int = 1, tls: ssl.SSLContext | None = None
) -> list[Finding]:
    """Return the findings about the agent at a URL, or about a function of a file."""
    function = FunctionBot(target) if is_file(target) else None
    transport = RecordingTransport(function or HttpTransport(tls=tls))
    clock = timedelta(seconds=clock_s)
    url = ADDRESS if function else target
    subject = Subject(transport, PracticeHere(), clock, seed, url, function, tls)
    try:
        return await examine(subject, lambda _finding: None)
    finally:
        await subject.client.close()


def of(verdict: Verdict, findings: list[Finding]) -> list[tuple[str, str]]:
    """Return check and name of the findings with a verdict."""
    return [(each.check, each.name) for each in findings if each.verdict is verdict]
