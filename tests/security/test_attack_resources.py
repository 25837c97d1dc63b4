"""The attacks on connections, each against a server with limits and one without."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from casino.attack.attacks.resources import (
    hold_idle_connections,
    send_endless_header,
    send_slow_header,
    stay_silent,
)
from casino.attack.attacks.traffic import Traffic
from casino.attack.engine import canaries, run
from casino.attack.outcome import Verdict
from casino.attack.target import Agent, Target
from casino.errors import NoAnswer
from casino_agentkit import Child
from support.casino.live import ENVIRONMENT, GRACE

pytestmark = [pytest.mark.full, pytest.mark.timeout(90)]

_ENVIRONMENT = {
    **ENVIRONMENT,
    "PYTHONPATH": os.pathsep.join([ENVIRONMENT["PYTHONPATH"], str(Path(__file__).parents[1])]),
}

ATTACKS = (hold_idle_connections, stay_silent, send_slow_header, send_endless_header)


@asynccontextmanager
async def target_of(how: str) -> AsyncIterator[Target]:
    """Start a server that may open 256 files, and run an attack against it."""
    module = "support.players.sample_agent"
    child = await Child.start(
        module, module, [how], environment=_ENVIRONMENT, on_log=lambda _line: None
    )
    traffic = Traffic()
    traffic.allow(child.url)
    try:
        async with canaries("127.0.0.1") as new_canary:
            yield Target(traffic, Agent("the lobby", child.url), new_canary)
    finally:
        await traffic.close()
        await child.stop(GRACE)


async def test_limits_are_what_refuses_them() -> None:
    """Few connections fill a server that may open few files; both are watched at once."""
    async with target_of("few-files") as target, target_of("few-files-unlimited") as unlimited:
        with_limits, without = await asyncio.gather(run(target, ATTACKS), run(unlimited, ATTACKS))
    for results, verdict in ((with_limits, Verdict.REFUSED), (without, Verdict.SUCCEEDED)):
        outcomes = {one.attack.name: one.outcome for one in results}
        assert {one.verdict for one in outcomes.values()} == {verdict}, outcomes


async def test_a_connection_ends_with_its_block() -> None:
    """Writing after the server has closed raises, and the attack ends."""
    async with target_of("few-files") as target:
        async with target.traffic.connected(target.lobby.origin) as connection:
            assert await connection.send(b"nothing that is HTTP\r\n\r\n")
            assert (await connection.hear(5) or b"").startswith(b"HTTP/1.1 400")
            assert await connection.hear(5) == b""
            assert not await connection.send(b"more")
        assert not await connection.send(b"more")
        assert await target.is_alive()


async def test_a_missing_server_is_an_error() -> None:
    """The error holds the reason."""
    traffic = Traffic()
    try:
        traffic.allow("http://127.0.0.1:1")
        with pytest.raises(NoAnswer, match="ConnectionRefusedError"):
            async with traffic.connected("http://127.0.0.1:1"):
                pass
    finally:
        await traffic.close()
