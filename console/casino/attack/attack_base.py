"""An attack: its name, description and function, and what came of it."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from casino.attack.attack_target import AttackTarget, Try
from casino.attack.binding_calls import Depth


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
