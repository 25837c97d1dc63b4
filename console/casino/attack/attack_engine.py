"""Run all attacks against a target in their order, and report what came of them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from casino_lobby_client.lobby_client import room_path
from rich.text import Text

from casino.attack.attack_base import Attack, AttackVerdict, Outcome, not_applicable, succeeded
from casino.attack.attack_target import AttackTarget
from casino.attack.attack_traffic import Heard
from casino.attack.binding_calls import Depth
from casino.attack.callback_server import CallbackBot, CallbackServer
from casino.errors import NoAnswer, NotOurs, NotSeated
from casino.output import Output, plain, sanitize


class Result(NamedTuple):
    """An attack and its outcome."""

    attack: Attack
    outcome: Outcome


async def run(
    target: AttackTarget,
    attacks: Sequence[Attack],
    on_result: Callable[[Result], None] = lambda _: None,
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


async def _run(target: AttackTarget, attack: Attack) -> Outcome:
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
) -> AsyncIterator[Callable[[], "asyncio.Future[CallbackServer]"]]:
    """Yield a starter of canaries, all stopped at the end; `heard` gets all that they get."""
    started: list[CallbackServer] = []

    async def new() -> CallbackServer:
        canary = CallbackServer(host, heard)
        await canary.start()
        started.append(canary)
        return canary

    try:
        yield lambda: asyncio.create_task(new())
    finally:
        for canary in started:
            await canary.stop()


@asynccontextmanager
async def seated(target: AttackTarget, room_id: str, host: str) -> AsyncIterator[CallbackBot]:
    """Seat the attacker's bot as the operator; it leaves at the end. Raises NotSeated."""
    bot = CallbackBot(host)
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


_STYLES = {
    AttackVerdict.REFUSED: "green",
    AttackVerdict.SUCCEEDED: "bold red",
    AttackVerdict.NOT_APPLICABLE: "dim",
}
_MAX_EVIDENCE = 300


def write_line(output: Output, result: Result) -> None:
    attack, outcome = result
    output.json(
        {
            "group": attack.group,
            "attack": attack.name,
            "findings": list(attack.findings),
            "outcome": outcome.verdict.value,
            "evidence": _evidence(outcome.evidence),
        }
    )


def write_table(output: Output, results: Sequence[Result]) -> None:
    rows: list[Sequence[str | Text]] = [
        (
            attack.group,
            attack.name,
            plain(outcome.verdict.value, _STYLES[outcome.verdict]),
            _evidence(outcome.evidence),
        )
        for attack, outcome in results
    ]
    output.table(("group", "attack", "outcome", "evidence"), rows)
    counts = [
        sum(result.outcome.verdict is verdict for result in results) for verdict in AttackVerdict
    ]
    refused, succeeded, not_applicable = counts
    output.line(f"{refused} refused, {succeeded} SUCCEEDED, {not_applicable} not applicable")


def write_list(output: Output, attacks: Sequence[Attack], *, as_json: bool) -> None:
    if as_json:
        for attack in attacks:
            output.json({"group": attack.group, "attack": attack.name, "tries": attack.tries})
        return
    rows = [(attack.group, attack.name, attack.tries) for attack in attacks]
    output.table(("group", "attack", "what it tries"), rows)


def _evidence(text: str) -> str:
    line = sanitize(text)
    return line if len(line) <= _MAX_EVIDENCE else line[: _MAX_EVIDENCE - 1] + "…"
