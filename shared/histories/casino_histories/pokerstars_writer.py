"""Write hands as the text of PokerStars, which trackers read.

The format has no way to escape, so names have letters, digits, `_`, `.`, `+` and `-` only. Times
are those of the eastern United States, as trackers expect them.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC
from decimal import Decimal
from hashlib import sha256

from casino_histories.betting_replay import Post, told_apart
from casino_histories.completed_hand import (
    BOARD_SIZES,
    STREETS,
    Action,
    Cards,
    ForcedKind,
    HandHistory,
    money_text,
    time_of,
)
from casino_histories.errors import NotExportable
from casino_histories.site_notation import eastern

_UNSAFE = re.compile(r"[^\w.+-]+")
_UNSAFE_WORDS = re.compile(r"[^\w ,.'-]+")
_LONGEST = 64

_TABLES = (2, 6, 9, 10)
_IDS = 1_000_000_000_000
_WORDS: dict[ForcedKind, str] = {
    "ante": "the ante",
    "small-blind": "small blind",
    "big-blind": "big blind",
    "straddle": "straddle",
}
_ORDER = (*_WORDS, "post")
_BOTH = "small & big blinds"


def plain_name(name: str) -> str:
    r"""Return a name of letters, digits, `_`, `.`, `+` and `-`; everything else becomes `_`.

    >>> plain_name("Ada: folds\n*** FLOP ***")
    'Ada_folds_FLOP'
    """
    return _UNSAFE.sub("_", name).strip("_")[:_LONGEST] or "player"


def plain_names(names: Iterable[str]) -> list[str]:
    """Return plain names that differ from each other, whatever the case.

    >>> plain_names(["a b", "a_b", "A B"])
    ['a_b', 'a_b-2', 'A_B-3']
    """
    taken: set[str] = set()
    result = []
    for name in map(plain_name, names):
        unique, number = name, 1
        while unique.casefold() in taken:
            number += 1
            unique = f"{name}-{number}"
        taken.add(unique.casefold())
        result.append(unique)
    return result


def plain_words(text: str) -> str:
    """Return words without what could end a line or a bracket."""
    return " ".join(_UNSAFE_WORDS.sub(" ", text).split())[:_LONGEST] or "hand"


def hand_number(hand: HandHistory) -> int:
    """Return a number for the hand: 12 digits from the SHA-256 of its id."""
    digest = sha256(hand.hand_id.encode("utf-8", "replace")).digest()
    return int.from_bytes(digest, "big") % _IDS


def pokerstars_text(hand: HandHistory) -> str:
    """Return a hand; raises NotExportable for what the format has no words for."""
    if hand.rake < 0:
        raise NotExportable("PokerStars text has no words for chips that the house added")
    return "\n".join(_Text(hand).lines()) + "\n"


def _posted(hand: HandHistory) -> list[tuple[int, str, int]]:
    """Return seat, words and amount of the forced bets, the hand's blinds first.

    A dead blind is a second small blind, or one amount with the live blind of its seat; a straddle
    is a total. Raises NotExportable where the words would be read as another bet.
    """
    written: list[tuple[int, str, int]] = []
    read: list[Post] = []
    bets = [0] * len(hand.seats)
    order = sorted(hand.forced, key=lambda bet: (_ORDER.index(bet.kind), bet.seat, not bet.is_dead))
    for bet in order:
        seat, kind, amount, is_dead = bet
        is_post = kind == "post"
        is_second = is_post and not is_dead and amount == hand.big_blind and written
        if is_second and written[-1][:2] == (seat, _WORDS["small-blind"]):
            written[-1] = (seat, _BOTH, written[-1][2] + amount)
            read[-1] = Post(seat, "post", read[-1].amount, is_dead=True)
            read.append(Post(seat, "post", Decimal(amount)))
        else:
            named = ("small-blind" if is_dead else "big-blind") if is_post else kind
            total = amount + (bets[seat] if kind == "straddle" else 0)
            written.append((seat, _WORDS[named], total))
            read.append(Post(seat, named, Decimal(amount)))
        bets[seat] += amount * bet.is_bet
    understood = told_apart(read, len(hand.seats))
    for bet in order:
        if Post.of(bet) not in understood:
            dead = "dead " if bet.is_dead else ""
            raise NotExportable(
                f"PokerStars text has no words for the {dead}{bet.kind} of"
                f" {hand.seats[bet.seat].name}"
            )
    return written


class _Text:
    def __init__(self, hand: HandHistory) -> None:
        self._hand = hand
        self._names = plain_names(seat.name for seat in hand.seats)

    def lines(self) -> Iterator[str]:
        hand = self._hand
        time = time_of(hand)
        blinds = f"{self._money(hand.small_blind)}/{self._money(hand.big_blind)}"
        yield (
            f"PokerStars Hand #{hand_number(hand)}:  Hold'em No Limit ({blinds})"
            f" - {time.astimezone(UTC):%Y/%m/%d %H:%M:%S} UTC"
            f" [{eastern(time):%Y/%m/%d %H:%M:%S} ET]"
        )
        largest = max(hand.button_number, *(seat.number for seat in hand.seats)) + 1
        size = next((size for size in _TABLES if size >= largest), largest)
        button = hand.button_number + 1
        yield f"Table '{plain_name(hand.table)}' {size}-max Seat #{button} is the button"
        for seat in self._at_the_table():
            stack = self._money(hand.seats[seat].stack)
            yield f"Seat {hand.seats[seat].number + 1}: {self._names[seat]} ({stack} in chips)"
        yield from self._forced_bets()
        yield "*** HOLE CARDS ***"
        for seat, player in enumerate(hand.seats):
            if player.cards:
                yield f"Dealt to {self._names[seat]} {_cards(player.cards)}"
        yield from self._play()
        yield from self._showdown()
        yield from self._summary()

    def _forced_bets(self) -> Iterator[str]:
        for seat, what, amount in _posted(self._hand):
            yield f"{self._names[seat]}: posts {what} {self._money(amount)}"

    def _play(self) -> Iterator[str]:
        hand, street, price = self._hand, 0, self._hand.first_price
        for action in hand.actions:
            while street < action.street:
                street += 1
                price = 0
                yield self._street(street)
            yield f"{self._names[action.seat]}: {self._words(action, price)}"
            price = max(price, action.total)
        if hand.returned:
            back = self._money(hand.returned.amount)
            yield f"Uncalled bet ({back}) returned to {self._names[hand.returned.seat]}"
        while street < hand.streets:
            street += 1
            yield self._street(street)

    def _words(self, action: Action, price: int) -> str:
        total = self._money(action.total)
        words = {
            "fold": "folds",
            "check": "checks",
            "call": f"calls {self._money(action.added)}",
            "bet": f"bets {total}",
            "raise": f"raises {self._money(action.total - price)} to {total}",
        }[action.kind]
        return f"{words} and is all-in" if action.is_all_in else words

    def _street(self, street: int) -> str:
        name, board = STREETS[street].upper(), self._hand.board
        before, after = BOARD_SIZES[street - 1], BOARD_SIZES[street]
        open_cards = f"{_cards(board[:before])} " if before else ""
        return f"*** {name} *** {open_cards}{_cards(board[before:after])}"

    def _showdown(self) -> Iterator[str]:
        hand = self._hand
        if hand.is_cancelled:
            yield "Hand cancelled"
            return
        if hand.has_showdown:
            yield "*** SHOW DOWN ***"
            shown = {item.seat for item in hand.shown}
            for item in hand.shown:
                rank = plain_words(item.rank_name)
                yield f"{self._names[item.seat]}: shows {_cards(item.cards)} ({rank})"
            for seat in hand.live:
                if seat not in shown:
                    yield f"{self._names[seat]}: mucks hand"
        for number, pot in reversed(list(enumerate(hand.pots))):
            for share in pot.winners:
                name, won = self._names[share.seat], self._money(share.amount)
                yield f"{name} collected {won} from {self._pot_name(number)}"
        if not hand.has_showdown:
            for seat in hand.live:
                yield f"{self._names[seat]}: doesn't show hand"

    def _pot_name(self, number: int) -> str:
        if len(self._hand.pots) == 1:
            return "pot"
        if number == 0:
            return "main pot"
        return "side pot" if len(self._hand.pots) == 2 else f"side pot-{number}"  # noqa: PLR2004

    def _summary(self) -> Iterator[str]:
        hand = self._hand
        yield "*** SUMMARY ***"
        parts = ""
        if len(hand.pots) > 1:
            named = (
                f"{self._pot_name(number).capitalize()} {self._money(pot.amount)}."
                for number, pot in enumerate(hand.pots)
            )
            parts = f" {' '.join(named)}"
        yield f"Total pot {self._money(hand.pot)}{parts} | Rake {self._money(hand.rake)}"
        if hand.board:
            yield f"Board {_cards(hand.board)}"
        for seat in self._at_the_table():
            player = f"{self._names[seat]}{self._role(seat)}"
            yield f"Seat {hand.seats[seat].number + 1}: {player} {self._end(seat)}"

    def _role(self, seat: int) -> str:
        position = self._hand.position_of(seat)
        if position == "BTN":
            return " (button) (small blind)" if len(self._hand.seats) == 2 else " (button)"  # noqa: PLR2004
        return {"SB": " (small blind)", "BB": " (big blind)"}.get(position, "")

    def _end(self, seat: int) -> str:
        hand = self._hand
        folds = [action for action in hand.actions if action.seat == seat and action.kind == "fold"]
        if folds:
            street = folds[0].street
            if street:
                return f"folded on the {STREETS[street].capitalize()}"
            bets = any(action.seat == seat and action.added for action in hand.actions)
            return "folded before Flop" + ("" if bets or self._posted(seat) else " (didn't bet)")
        won = self._money(hand.won[seat])
        shown = next((item for item in hand.shown if item.seat == seat), None)
        if shown is not None:
            rank = plain_words(shown.rank_name)
            result = f"won ({won}) with {rank}" if hand.won[seat] else f"lost with {rank}"
            return f"showed {_cards(shown.cards)} and {result}"
        if hand.won[seat]:
            return f"collected ({won})"
        cards = hand.seats[seat].cards
        return f"mucked {_cards(cards)}" if cards else "mucked"

    def _posted(self, seat: int) -> bool:
        return any(bet.seat == seat and bet.is_bet for bet in self._hand.forced)

    def _at_the_table(self) -> list[int]:
        seats = self._hand.seats
        return sorted(range(len(seats)), key=lambda seat: seats[seat].number)

    def _money(self, chips: int) -> str:
        return money_text(chips, self._hand.decimals)


def _cards(cards: Cards) -> str:
    return f"[{' '.join(cards)}]"
