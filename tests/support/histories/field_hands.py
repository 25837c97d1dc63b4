"""Random hands as real tables have them: straddles, posts, dead blinds, a dead button, rake.

The engine plays none of these, so that the betting is made here, by the rules of the field.
"""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from casino_games.cards import DECK, NAMES
from casino_histories import (
    ForcedBet,
    HandHistory,
    NotExportable,
    Pot,
    SeatedPlayer,
    Share,
    ShownCards,
)
from casino_histories.betting_replay import BettingReplay
from casino_histories.completed_hand import ForcedKind

_STAKES = ((1, 2), (5, 10), (10, 20), (25, 50), (50, 100))
_TABLE = 10
_BEGAN = datetime(2025, 3, 1, 20, 15, 30, tzinfo=UTC)


@dataclass
class _Betting:
    """A hand while it is played, with the seats that are still in it."""

    generator: random.Random
    replay: BettingReplay
    live: set[int]
    big_blind: int
    step: int = 0
    """What the last raise added, which the next one has to add at least."""

    def round(self, first: int) -> None:
        """Let everybody act once, and again after each raise; a short all-in opens no raising."""
        replay, count = self.replay, len(self.replay.bets)
        due = [(first + step) % count for step in range(count)]
        may_raise, self.step = {*due}, self.big_blind
        while due and len(self.live) > 1:
            seat = due.pop(0)
            if seat not in self.live or not replay.left[seat]:
                continue
            rivals = [other for other in self.live if other != seat]
            most = max(replay.bets[other] + replay.left[other] for other in rivals)
            has_matched = replay.bets[seat] >= min(replay.price, most)
            if has_matched and not any(replay.left[other] for other in rivals):
                continue
            before = replay.price
            self.decide(seat, most, may_raise=seat in may_raise)
            may_raise.discard(seat)
            if replay.price > before:
                due = [(seat + step) % count for step in range(1, count)]
            if replay.price >= before + self.step:
                may_raise, self.step = {*due}, replay.price - before

    def decide(self, seat: int, most: int, *, may_raise: bool) -> None:
        """Take a decision; a call may be capped at the most that anybody else can have."""
        replay, draw = self.replay, self.generator.random()
        bet, whole = replay.bets[seat], replay.bets[seat] + replay.left[seat]
        if replay.price > bet and draw < 0.25:
            replay.fold(seat)
            self.live.discard(seat)
        elif not may_raise or draw < 0.75 or whole <= replay.price or most <= replay.price:
            price = replay.price
            if bet <= most < price and self.generator.random() < 0.7:
                price = most
            replay.bet_or_raise(seat, min(max(price, bet), whole))
        else:
            least = min(whole, replay.price + self.step)
            replay.bet_or_raise(seat, self.generator.choice((least, whole, (least + whole) // 2)))


def field_hand(number: int) -> HandHistory:
    """Return a hand that follows from its number."""
    generator = random.Random(f"field/{number}")
    count = generator.choice((2, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 10))
    small, big = generator.choice(_STAKES)
    numbers, dead_button = _circle(generator, count)
    cards = [NAMES[card] for card in generator.sample(DECK, 2 * count + 5)]
    known = generator.choice((0.2, 1.0))
    seats = tuple(
        SeatedPlayer(
            f"id-{seat}",
            f"Player {seat}",
            numbers[seat],
            generator.randint(1, generator.choice((3, 20, 200)) * big),
            tuple(cards[5 + 2 * seat : 7 + 2 * seat]) if generator.random() < known else (),
        )
        for seat in range(count)
    )
    replay = BettingReplay(seats, NotExportable)
    ante = generator.choice((0, 0, 1, big // 2, big))
    big_seat = 0 if count == 2 and dead_button is None else generator.choice((0, 1, 1, 1))
    opener = _post(generator, replay, (small, big, ante), big_seat)
    play = _Betting(generator, replay, set(range(count)), big)
    is_cancelled = generator.random() < 0.03
    board = 0
    for street, shown in enumerate((0, 3, 4, 5)):
        if len(play.live) < 2:
            break
        replay.open_street(street)
        board = shown
        play.round(opener if street == 0 else 0)
        if is_cancelled and generator.random() < 0.5:
            break
    hand = HandHistory(
        hand_id=f"field/{number}",
        table="field",
        number=number + 1,
        seats=seats,
        small_blind=small,
        big_blind=big,
        ante=ante,
        forced=tuple(replay.forced),
        actions=tuple(replay.actions),
        board=tuple(cards[:board]),
        shown=(),
        pots=(),
        returned=replay.returned,
        decimals=generator.choice((0, 0, 1, 2)),
        started_at=_BEGAN + timedelta(seconds=number),
        dead_button=dead_button,
        is_cancelled=is_cancelled,
    )
    return _paid(generator, hand)


def _circle(generator: random.Random, count: int) -> tuple[list[int], int | None]:
    """Return numbers of seats from the first left of the button, and the button if it is dead."""
    is_dead = count < _TABLE and generator.random() < 0.3
    chosen = sorted(generator.sample(range(_TABLE), count + is_dead))
    first = generator.randrange(len(chosen))
    circle = [*chosen[first:], *chosen[:first]]
    return (circle[:-1], circle[-1]) if is_dead else (circle, None)


def _pay(
    replay: BettingReplay, seat: int, kind: ForcedKind, amount: int, *, is_dead: bool = False
) -> None:
    paid = min(amount, replay.left[seat])
    if paid:
        replay.post(ForcedBet(seat, kind, paid, is_dead))


def _post(
    generator: random.Random, replay: BettingReplay, stakes: tuple[int, int, int], big_seat: int
) -> int:
    """Post everything, and return who acts first."""
    small, big, ante = stakes
    count = len(replay.bets)
    is_lone = generator.random() < 0.4
    for seat in () if is_lone else range(count):
        _pay(replay, seat, "ante", ante)
    small_seat = big_seat - 1 if big_seat else (1 if count == 2 else None)
    if small_seat is not None and generator.random() < 0.85:
        _pay(replay, small_seat, "small-blind", small)
    _pay(replay, big_seat, "big-blind", big)
    if is_lone:
        _pay(replay, big_seat, "ante", ante, is_dead=True)
    others = [seat for seat in range(count) if seat not in {small_seat, big_seat}]
    has_others = generator.random() < 0.4
    last = _enter(generator, replay, (small, big), others) if has_others else None
    replay.set_price(big)
    return ((big_seat if last is None else last) + 1) % count


def _enter(
    generator: random.Random, replay: BettingReplay, blinds: tuple[int, int], others: list[int]
) -> int | None:
    """Let others straddle, enter or return, and return the seat of the last straddle."""
    (small, big), last = blinds, None
    price = big
    for seat in others:
        left = replay.left[seat]
        match generator.choice(("", "", "straddle", "post", "dead", "both")):
            case "straddle" if left >= 2 * price:
                price = generator.choice((2 * price, min(3 * price, left)))
                _pay(replay, seat, "straddle", price)
                last = seat
            case "post":
                _pay(replay, seat, "post", big)
            case "dead":
                _pay(replay, seat, "post", small, is_dead=True)
            case "both" if left >= small + big:
                _pay(replay, seat, "post", small, is_dead=True)
                _pay(replay, seat, "post", big)
    return last


def _paid(generator: random.Random, hand: HandHistory) -> HandHistory:
    """Return the hand with winners, rake and shown cards, which need not fit the cards."""
    fields = {name: getattr(hand, name) for name in HandHistory.__dataclass_fields__}
    if hand.is_cancelled:
        shares = (Share(seat, paid) for seat, paid in enumerate(hand.contributed) if paid)
        return HandHistory(**fields | {"pots": (Pot(hand.pot, tuple(shares)),)})
    rake = hand.pot // 20 if generator.random() < 0.3 else 0
    rest = hand.pot - rake
    count = generator.randint(1, min(3, rest)) if hand.has_showdown and rest else 1
    cuts = sorted(generator.sample(range(1, rest), count - 1)) if count > 1 else []
    pots = []
    for begin, end in zip([0, *cuts], [*cuts, rest], strict=True):
        amount = end - begin
        winners = generator.sample(
            hand.live, generator.randint(1, max(1, min(amount, len(hand.live))))
        )
        part, odd = divmod(amount, len(winners))
        shares = (Share(seat, part + (odd if at == 0 else 0)) for at, seat in enumerate(winners))
        pots.append(Pot(amount, tuple(shares)))
    shown = tuple(
        ShownCards(seat, hand.seats[seat].cards, "a pair of Aces")
        for seat in hand.live
        if hand.has_showdown and hand.seats[seat].cards and generator.random() < 0.8
    )
    return HandHistory(**fields | {"pots": tuple(pots), "rake": rake, "shown": shown})
