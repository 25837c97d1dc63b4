"""The attacks on connections, each against a server with limits and one without."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from casino.attack.attack_base import AttackVerdict, canaries, run
from casino.attack.attack_target import AttackedAgent, AttackTarget
from casino.attack.attack_traffic import Traffic
from casino.attack.resource_attacks import (
    hold_idle_connections,
    send_endless_header,
    send_slow_header,
    stay_silent,
)
from casino_agentkit import Child
from support.casino.members import ENVIRONMENT, GRACE

pytestmark = [pytest.mark.full, pytest.mark.timeout(90)]

ATTACKS = (hold_idle_connections, stay_silent, send_slow_header, send_endless_header)


@asynccontextmanager
async def target_of(how: str) -> AsyncIterator[AttackTarget]:
    """Start a server that may open 256 files, and run an attack against it."""
    module = "support.players.sample_agent"
    child = await Child.start(
        module, module, [how], environment=ENVIRONMENT, on_log=lambda _line: None
    )
    traffic = Traffic()
    traffic.allow(child.url)
    try:
        async with canaries("127.0.0.1") as new_canary:
            yield AttackTarget(traffic, AttackedAgent("the lobby", child.url), new_canary)
    finally:
        await traffic.close()
        await child.stop(GRACE)


async def test_limits_are_what_refuses_them() -> None:
    """Few connections fill a server that may open few files; both are watched at once."""
    async with target_of("few-files") as target, target_of("few-files-unlimited") as unlimited:
        with_limits, without = await asyncio.gather(run(target, ATTACKS), run(unlimited, ATTACKS))
    for results, verdict in (
        (with_limits, AttackVerdict.REFUSED),
        (without, AttackVerdict.SUCCEEDED),
    ):
        outcomes = {one.attack.name: one.outcome for one in results}
        assert {one.verdict for one in outcomes.values()} == {verdict}, outcomes
