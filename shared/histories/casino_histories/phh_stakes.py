"""The forced bets of a hand in the fields of PHH, and in own ones for what the format cannot say.

The own fields are `_forced`, `_stakes`, `_button`, `_rake`, `_is_cancelled`, and `_totals` with the
bets after each check and call. Each is written only where the standard fields say another
thing; other readers leave them out.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import get_args

from casino_histories.betting_replay import BettingReplay, Post, told_apart
from casino_histories.completed_hand import HEADS_UP, ForcedKind, HandHistory, amount_text
from casino_histories.errors import NotExportable

Chips = int | Decimal

KINDS: dict[str, ForcedKind] = {kind: kind for kind in get_args(ForcedKind)}
DEAD = "dead"
STAKES: tuple[ForcedKind, ...] = ("small-blind", "big-blind", "ante")


def posts_of(antes: Sequence[Chips], blinds: Sequence[Chips], *, is_trimmed: bool) -> list[Post]:
    """Return the forced bets that standard fields say, by seat; a negative blind is a post.

    The smallest blind is the small one if there are two, and the next one the big blind; of equal
    ones the first, heads-up the last.
    """
    paid = [Post(seat, "ante", Decimal(ante)) for seat, ante in enumerate(antes) if ante]
    is_dead = not is_trimmed and len({*antes}) > 1
    paid = [post._replace(is_dead=is_dead) for post in paid]
    order = -1 if len(blinds) == HEADS_UP else 1
    ranked = sorted((Decimal(b), order * seat) for seat, b in enumerate(blinds) if b > 0)
    kinds: list[ForcedKind] = ["small-blind", "big-blind"] if len(ranked) > 1 else ["big-blind"]
    named = dict(zip(ranked, kinds, strict=False))
    big = ranked[len(kinds) - 1][0] if ranked else Decimal(0)
    posts = [
        Post(order * at, named.get((blind, at)) or ("straddle" if blind > big else "post"), blind)
        for blind, at in ranked
    ]
    posts += [Post(seat, "post", -Decimal(blind)) for seat, blind in enumerate(blinds) if blind < 0]
    return posts + paid if is_dead else paid + posts


def stakes_of(posts: list[Post]) -> list[Decimal]:
    return [
        max((post.amount for post in posts if post.kind == kind), default=Decimal(0))
        for kind in STAKES
    ]


def standard_of(hand: HandHistory) -> tuple[list[int], list[int]]:
    """Return antes and blinds by seat as the standard fields have them: dead chips are antes.

    Who has too few chips for an ante or a blind is written with the whole of it.
    """
    count = len(hand.seats)
    antes, blinds, left = [0] * count, [0] * count, [seat.stack for seat in hand.seats]
    is_entry = [False] * count
    for bet in hand.forced:
        left[bet.seat] -= bet.amount
        if bet.is_bet:
            blinds[bet.seat] += bet.amount
            is_entry[bet.seat] |= bet.kind == "post"
        else:
            is_short = bet.kind == "ante" and not left[bet.seat]
            antes[bet.seat] += hand.ante if is_short else bet.amount
    big = hand.big_seat
    small = big - 1 if big else count - 1 if count == HEADS_UP else None
    for seat, whole in ((small, hand.small_blind), (big, hand.big_blind)):
        if seat is not None and not left[seat]:
            blinds[seat] = max(blinds[seat], whole)
    return antes, [-chips if is_entry[seat] else chips for seat, chips in enumerate(blinds)]


def beside_the_standard(hand: HandHistory, posts: list[Post]) -> Iterator[tuple[str, str]]:
    """Yield own fields for what the standard ones do not say, or not exactly."""
    left = [seat.stack for seat in hand.seats]
    said = []
    for post in told_apart(posts, len(left)):
        paid = min(int(post.amount), left[post.seat])
        left[post.seat] -= paid
        if paid:
            said.append((post.seat, post.kind, paid, post.is_dead))
    if sorted(said) != sorted(hand.forced):
        forced = (
            f"p{bet.seat + 1} {bet.kind} {amount_text(bet.amount, hand.decimals)}"
            + f" {DEAD}" * bet.is_dead
            for bet in hand.forced
        )
        yield "_forced", f"[{', '.join(map(toml_text, forced))}]"
    stakes = [hand.small_blind, hand.big_blind, hand.ante]
    if stakes != stakes_of(posts):
        yield "_stakes", amounts_text(hand, stakes)
    if hand.dead_button is not None:
        yield "_button", str(hand.dead_button + 1)
    if hand.rake:
        yield "_rake", amount_text(hand.rake, hand.decimals)
    if hand.is_cancelled:
        yield "_is_cancelled", "true"
    calls = [action for action in hand.actions if action.kind in {"check", "call"}]
    if [action.total for action in calls] != list(_matched(hand)):
        yield "_totals", amounts_text(hand, [action.total for action in calls])


def _matched(hand: HandHistory) -> Iterator[int]:
    """Yield the totals that the checks and calls have if each matches the whole price."""
    replay = BettingReplay(hand.seats, NotExportable)
    for bet in hand.forced:
        replay.post(bet)
    replay.set_price(hand.big_blind)
    for action in hand.actions:
        replay.open_street(action.street)
        if action.kind in {"check", "call"}:
            most = replay.bets[action.seat] + replay.left[action.seat]
            yield max(replay.bets[action.seat], min(replay.price, most))
        replay.act(action.seat, "fold" if action.kind == "fold" else "raise", action.total)


def amounts_text(hand: HandHistory, amounts: Iterable[int]) -> str:
    return f"[{', '.join(amount_text(chips, hand.decimals) for chips in amounts)}]"


def toml_text(text: str) -> str:
    """Return a text as a basic string of TOML."""
    return json.dumps(plain_toml(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def plain_toml(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
