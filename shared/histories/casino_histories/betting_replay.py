"""The betting of a hand: what is posted, and chips and bets while actions are read. Pure."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from casino_histories.completed_hand import (
    HEADS_UP,
    Action,
    ForcedBet,
    ForcedKind,
    Kind,
    SeatedPlayer,
    Share,
)
from casino_histories.errors import HistoryError


class Post(NamedTuple):
    """A forced bet as a file has it."""

    seat: int
    kind: ForcedKind
    amount: Decimal
    is_dead: bool = False

    @classmethod
    def of(cls, bet: ForcedBet) -> "Post":
        return cls(bet.seat, bet.kind, Decimal(bet.amount), bet.is_dead)


def told_apart(posts: Sequence[Post], players: int) -> list[Post]:
    """Return posts of a file whose words are the same for both blinds and for those who return.

    The big blind is the first left of the button, the small blind one before it; other small blinds
    are dead. An ante that only one player posts is that of the big blind for everybody.
    """
    big = min((post.seat for post in posts if post.kind == "big-blind"), default=players)
    posters = [post.seat for post in posts if post.kind == "small-blind" and not post.is_dead]
    small = max((seat for seat in posters if players == HEADS_UP or seat < big), default=None)
    is_lone = sum(1 for post in posts if post.kind == "ante") == 1
    taken: set[ForcedKind] = set()
    apart = []
    for post in posts:
        found = post
        if post.kind == "ante":
            found = post._replace(is_dead=post.is_dead or is_lone)
        elif post.kind in {"small-blind", "big-blind"}:
            is_small = post.kind == "small-blind"
            if post.is_dead or post.kind in taken or post.seat != (small if is_small else big):
                found = post._replace(kind="post", is_dead=post.is_dead or is_small)
            else:
                taken.add(post.kind)
        apart.append(found)
    return apart


class BettingReplay:
    """Follows a hand's betting; raises `fault` where chips are missing, not for every rule."""

    def __init__(self, seats: Sequence[SeatedPlayer], fault: type[HistoryError]) -> None:
        self._seats = seats
        self.left = [seat.stack for seat in seats]
        self.forced: list[ForcedBet] = []
        self.actions: list[Action] = []
        self.street = 0
        self.price = 0
        """The highest bet of the betting round."""
        self.bets = [0] * len(seats)
        self._fault = fault
        self._contested = [0] * len(seats)
        """Chips of each seat that others have to match."""
        self._folded: set[int] = set()

    def post(self, bet: ForcedBet) -> None:
        """Post a blind or an ante; raises the fault."""
        self._take(bet.seat, bet.amount, is_dead=bet.is_dead)
        self.forced.append(bet)
        if bet.is_bet:
            self.bets[bet.seat] += bet.amount
            self.price = max(self.price, self.bets[bet.seat])

    def set_price(self, price: int) -> None:
        """Set what is to be matched before the flop: the big blind, also if it was short."""
        self.price = max(self.price, price)

    def open_street(self, street: int) -> None:
        if street > self.street:
            self.street = street
            self.price = 0
            self.bets = [0] * len(self.bets)

    def fold(self, seat: int) -> None:
        self._add(seat, "fold", self.bets[seat])
        self._folded.add(seat)

    def check_or_call(self, seat: int) -> None:
        total = min(self.price, self.bets[seat] + self.left[seat])
        self._add(seat, "call" if total > self.bets[seat] else "check", max(total, self.bets[seat]))

    def bet_or_raise(self, seat: int, total: int) -> None:
        """Bet, raise or call: put in chips up to a total of this round; raises the fault."""
        if total <= self.price:
            kind: Kind = "call" if total > self.bets[seat] else "check"
        else:
            kind = "raise" if self.price else "bet"
        self._add(seat, kind, total)

    def act(self, seat: int, word: Literal["fold", "check", "call", "raise"], total: int) -> None:
        """Take an action whose total is stated; raises the fault."""
        if word == "fold":
            self.fold(seat)
        else:
            self.bet_or_raise(seat, max(total, self.bets[seat]))

    @property
    def returned(self) -> Share | None:
        """The part of the largest contribution that nobody matched."""
        second, largest = sorted(self._contested)[-2:]
        if largest == second:
            return None
        return Share(self._contested.index(largest), largest - second)

    def _add(self, seat: int, kind: Kind, total: int) -> None:
        added = total - self.bets[seat]
        if added < 0:
            raise self._fault(f"{self._name(seat)} takes chips back")
        self._take(seat, added)
        if kind != "fold" and total < min(self.price, self._most(seat)) and self.left[seat]:
            fault = "matches less than the bet, and is not all-in"
            raise self._fault(f"{self._name(seat)} {fault}")
        self.bets[seat] = total
        self.price = max(self.price, total)
        is_all_in = self.left[seat] == 0 and added > 0
        self.actions.append(Action(seat, self.street, kind, total, added, is_all_in))

    def _take(self, seat: int, amount: int, *, is_dead: bool = False) -> None:
        if not 0 <= amount <= self.left[seat]:
            raise self._fault(f"{self._name(seat)} puts in more chips than it has")
        self.left[seat] -= amount
        if not is_dead:
            self._contested[seat] += amount

    def _most(self, seat: int) -> int:
        """Return the most that anybody else can have in this round: more need not be matched."""
        others = (other for other in range(len(self.bets)) if other != seat)
        chips = (self.bets[o] + self.left[o] for o in others if o not in self._folded)
        return max(chips, default=0)

    def _name(self, seat: int) -> str:
        """Return a player's name and seat, as the file has them."""
        return f"{self._seats[seat].name[:40]} (seat {self._seats[seat].number + 1})"
