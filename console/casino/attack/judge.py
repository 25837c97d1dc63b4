"""From tries to an outcome."""

from collections import Counter
from collections.abc import Sequence

from casino.attack.attacks.reply import Depth
from casino.attack.outcome import Outcome, not_applicable, refused, succeeded
from casino.attack.target import Try


def by_admission(tries: Sequence[Try], undone: str = "", *, is_faulty: bool = False) -> Outcome:
    """Judge an attack that succeeds as soon as the caller is let in, whatever comes then.

    Where the message itself is at fault (`is_faulty`), to find it invalid is to refuse it.
    """
    return _judged(tries, [one for one in tries if one.reply.was_let_in], undone, is_faulty)


def by_answer(tries: Sequence[Try], undone: str = "", *, is_faulty: bool = False) -> Outcome:
    """Judge an attack that succeeds only when it gets an answer."""
    answered = [one for one in tries if one.reply.depth is Depth.ANSWERED]
    return _judged(tries, answered, undone, is_faulty)


def _judged(
    tries: Sequence[Try],
    open_ways: Sequence[Try],
    undone: str,
    is_faulty: bool,  # noqa: FBT001  of the two above alone
) -> Outcome:
    if open_ways:
        first = open_ways[0]
        came = first.reply.reason or "answered"
        told = (
            f"{first.agent.name} let {first.token} in over {first.binding} ({came});"
            f" {len(open_ways)} of {len(tries)} ways are open"
        )
        return succeeded(f"{told}; {undone}" if undone else told)
    noes = {Depth.DENIED, Depth.DECLINED} | ({Depth.UNREAD} if is_faulty else set())
    said_no = [one for one in tries if one.reply.depth in noes | {Depth.LIMITED}]
    if not any(one.reply.depth in noes for one in tries):
        return _inconclusive(tries)
    counted = Counter(one.reply.reason or one.reply.depth.value for one in said_no)
    reasons = ", ".join(f"{count} {reason}" for reason, count in counted.most_common())
    return refused(f"{len(said_no)} of {len(tries)} ways said no: {reasons}")


def _inconclusive(tries: Sequence[Try]) -> Outcome:
    depths = Counter(one.reply.depth for one in tries)
    if not tries:
        return not_applicable("there is nothing to call")
    if depths[Depth.LIMITED]:
        return not_applicable("too many requests for the casino's limit; try again in a minute")
    if depths[Depth.UNREAD]:
        return not_applicable("it reads other messages than this release sends")
    if depths[Depth.FAILED]:
        return not_applicable(f"no answer: {tries[0].reply.reason}")
    return not_applicable("nothing answers at these addresses")
