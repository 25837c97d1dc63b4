"""An attack, how all are run in their order, and the report of what came of them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from casino_lobby_client.lobby_client import room_path
from rich.text import Text

from casino.attack.attack_target import AttackTarget, Try
from casino.attack.attack_traffic import Heard
from casino.attack.binding_calls import Depth
from casino.attack.callback_server import CallbackBot, CallbackServer
from casino.errors import NoAnswer, NotOurs, NotSeated
from casino.output import Output, plain, sanitize


class AttackVerdict(StrEnum):
    """Result of an attack."""

    REFUSED = "refused"
    SUCCEEDED = "SUCCEEDED"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict and its evidence."""

    verdict: AttackVerdict
    evidence: str

    @property
    def has_succeeded(self) -> bool:
        return self.verdict is AttackVerdict.SUCCEEDED


def refused(evidence: str) -> Outcome:
    return Outcome(AttackVerdict.REFUSED, evidence)


def succeeded(evidence: str) -> Outcome:
    return Outcome(AttackVerdict.SUCCEEDED, evidence)


def not_applicable(reason: str) -> Outcome:
    """Return the outcome of an attack that had no target or could not be tried."""
    return Outcome(AttackVerdict.NOT_APPLICABLE, reason)


def by_admission(tries: Sequence[Try], undone: str = "", *, is_faulty: bool = False) -> Outcome:
    """Judge by tries that pass authorization; with `is_faulty` a validation error is a refusal."""
    return _judged(tries, [try_ for try_ in tries if try_.reply.was_let_in], undone, is_faulty)


def by_answer(tries: Sequence[Try], undone: str = "", *, is_faulty: bool = False) -> Outcome:
    """Judge an attack that succeeds if any try is answered without an error."""
    answered = [try_ for try_ in tries if try_.reply.depth is Depth.ANSWERED]
    return _judged(tries, answered, undone, is_faulty)


def _judged(
    tries: Sequence[Try],
    open_ways: Sequence[Try],
    undone: str,
    is_faulty: bool,  # noqa: FBT001  private to this module
) -> Outcome:
    if open_ways:
        first = open_ways[0]
        reason = first.reply.reason or "answered"
        evidence = (
            f"{first.agent.name} accepted {first.token} over {first.binding} ({reason});"
            f" {len(open_ways)} of {len(tries)} ways are open"
        )
        return succeeded(f"{evidence}; {undone}" if undone else evidence)
    refusals = {Depth.DENIED, Depth.DECLINED} | ({Depth.UNREAD} if is_faulty else set())
    refused_tries = [try_ for try_ in tries if try_.reply.depth in refusals | {Depth.LIMITED}]
    if not any(try_.reply.depth in refusals for try_ in tries):
        return _inconclusive(tries)
    counted = Counter(try_.reply.reason or try_.reply.depth.value for try_ in refused_tries)
    reasons = ", ".join(f"{count} {reason}" for reason, count in counted.most_common())
    return refused(f"{len(refused_tries)} of {len(tries)} ways were refused: {reasons}")


def _inconclusive(tries: Sequence[Try]) -> Outcome:
    depths = Counter(try_.reply.depth for try_ in tries)
    if not tries:
        return not_applicable("there is nothing to call")
    if depths[Depth.LIMITED]:
        return not_applicable("the casino's rate limit was reached; try again in a minute")
    if depths[Depth.UNREAD]:
        return not_applicable("its message schema differs from this release's")
    if depths[Depth.FAILED]:
        return not_applicable(f"no answer: {tries[0].reply.reason}")
    return not_applicable("nothing answers at these addresses")


Run = Callable[[AttackTarget], Awaitable[Outcome]]


@dataclass(frozen=True)
class Attack:
    """One attack.

    `findings` are numbers of past reviews. `breaks` describes the lasting damage of a
    successful attack; such attacks run last. Slow attacks run first, at the same time. `needs`
    names the further service that is attacked.
    """

    name: str
    group: str
    tries: str
    findings: tuple[str, ...]
    run: Run
    breaks: str = ""
    is_slow: bool = False
    needs: str = ""


def attack(
    group: str, *findings: str, breaks: str = "", is_slow: bool = False, needs: str = ""
) -> Callable[[Run], Attack]:
    """Make an `Attack` of a function; its docstring's first line becomes the description."""

    def decorator(run: Run) -> Attack:
        name = getattr(run, "__name__", "").replace("_", "-")
        tries = (run.__doc__ or "").partition("\n")[0]
        return Attack(name, group, tries, findings, run, breaks, is_slow, needs)

    return decorator


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
