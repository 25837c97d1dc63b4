"""The attack engine on an arena, with a bot in its room."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from casino.attack.attack import Attack
from casino.attack.attacks.learn import learn
from casino.attack.attacks.traffic import Heard, Traffic
from casino.attack.bindings import BINDINGS, Binding
from casino.attack.catalogue import ATTACKS
from casino.attack.engine import Result, canaries, run, seated
from casino.attack.target import Target

HOST = "127.0.0.1"
BY_NAME = {one.name: one for one in ATTACKS}


def nobody(_heard: bytes) -> None:
    """Ignore received bytes."""


@asynccontextmanager
async def target_at(
    lobby_url: str,
    players: Collection[str] = (),
    *,
    operator_key: str | None = None,
    heard: Heard = nobody,
    bindings: tuple[Binding, ...] = BINDINGS,
) -> AsyncIterator[Target]:
    """Explore a casino; all connections are closed at the end."""
    traffic = Traffic(heard=heard)
    try:
        async with canaries(HOST, heard) as new_canary:
            target = await learn(
                traffic,
                lobby_url,
                new_canary,
                players=list(players),
                operator_key=operator_key,
            )
            target.bindings = bindings
            yield target
    finally:
        await traffic.close()


async def attacked(target: Target, room_id: str | None, attacks: Sequence[Attack]) -> list[Result]:
    """Run attacks with a bot that the operator seated in a room."""
    if room_id is None:
        return await run(target, attacks)
    async with seated(target, room_id, HOST):
        return await run(target, attacks)


def succeeded_in(results: Sequence[Result]) -> set[str]:
    """Return the names of the attacks that succeeded."""
    return {one.attack.name for one in results if one.outcome.has_succeeded}
