"""One bot is checked in this process, by a table's desk without a process of its own."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import orjson
import pytest
from casino.check.examination import examine
from casino.check.exchange import RecordingTransport
from casino.check.finding import Finding
from casino.check.practice import Practice
from casino.check.subject import Subject
from casino_agentkit import HttpTransport
from casino_table.practice.desk import Desk

Checked = Callable[..., Awaitable[list[Finding]]]


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


@pytest.fixture
async def checked() -> AsyncIterator[Checked]:
    """Give a function that checks the agent at a URL."""

    async def check(url: str, clock_s: float = 10.0) -> list[Finding]:
        transport = RecordingTransport(HttpTransport())
        subject = Subject(transport, PracticeHere(), timedelta(seconds=clock_s), 1, url)
        try:
            return await examine(subject, lambda _finding: None)
        finally:
            await subject.client.close()

    return check
