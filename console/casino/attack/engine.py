"""Run attacks against a target and collect their results."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from casino_lobby_client.client import room_path

from casino.attack.attack import Attack
from casino.attack.attacks.reply import Depth
from casino.attack.attacks.traffic import Heard
from casino.attack.bot import Bot
from casino.attack.canary import Canary
from casino.attack.outcome import Outcome, not_applicable, succeeded
from casino.attack.target import Target
from casino.errors import NoAnswer, NotOurs, NotSeated


class Result(NamedTuple):
    """An attack and its outcome."""

    attack: Attack
    outcome: Outcome


async def run(
    target: Target, attacks: Sequence[Attack], on_result: Callable[[Result], None] = lambda _: None
) -> list[Result]:
    """Run all attacks and return their results in the order of `attacks`.

    Slow attacks come first, all at the same time, then the others one by one, so that none finds
    connections of another; attacks with lasting damage run last.
    `on_result` is called with each result as it completes.
    """
    outcomes: dict[str, Outcome] = {}

    async def attempt(attack: Attack) -> None:
        outcome = outcomes[attack.name] = await _run(target, attack)
        on_result(Result(attack, outcome))

    await asyncio.gather(*(attempt(attack) for attack in attacks if attack.is_slow))
    for attack in sorted(attacks, key=lambda attack: bool(attack.breaks)):
        if not attack.is_slow:
            await attempt(attack)
    return [Result(attack, outcomes[attack.name]) for attack in attacks]


async def _run(target: Target, attack: Attack) -> Outcome:
    if attack.needs and attack.needs not in target.services:
        return not_applicable(f"the {attack.needs}'s address is not known (--{attack.needs} URL)")
    try:
        outcome = await attack.run(target)
    except (NoAnswer, NotOurs) as error:
        outcome = not_applicable(f"it could not be tried: {error}")
    except (ValueError, KeyError, TypeError, LookupError, AttributeError) as error:
        # Public data with an unexpected shape does not count as a refusal.
        outcome = not_applicable(f"it could not be tried: {type(error).__name__}")
    if not outcome.has_succeeded and not await target.is_alive():
        return succeeded("the lobby does not answer any more")
    return outcome


@asynccontextmanager
async def canaries(
    host: str, heard: Heard = lambda _bytes: None
) -> AsyncIterator[Callable[[], "asyncio.Future[Canary]"]]:
    """Yield a function that starts canaries; all are stopped at the end.

    `heard` is called with everything that is sent to them.
    """
    started: list[Canary] = []

    async def new() -> Canary:
        canary = Canary(host, heard)
        await canary.start()
        started.append(canary)
        return canary

    try:
        yield lambda: asyncio.create_task(new())
    finally:
        for canary in started:
            await canary.stop()


@asynccontextmanager
async def seated(target: Target, room_id: str, host: str) -> AsyncIterator[Bot]:
    """Seat the attacker's own bot in a room, with the operator's key; it leaves at the end.

    Raises NotSeated.
    """
    bot = Bot(host)
    await bot.start()
    path = f"{room_path(room_id)}/players"
    try:
        body = {"agentCardUrl": bot.card_url}
        reply = await target.rest("POST", path, body, as_operator=True)
        if reply.depth is not Depth.ANSWERED:
            raise NotSeated(f"room {room_id} gives the bot no seat: {reply.reason}")
        target.bot, target.seated_in = bot, room_id
        if isinstance(reply.data, dict):
            bot.player_id = str(reply.data.get("playerId", bot.player_id))
        try:
            yield bot
        finally:
            await target.leave(room_id, bot.player_id)
    finally:
        await bot.stop()
