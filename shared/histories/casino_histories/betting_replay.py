"""The betting of a hand: chips, bets and streets while its actions are read in order. Pure."""

from typing import Literal

from casino_histories.completed_hand import Action, ForcedBet, ForcedKind, Kind, Share
from casino_histories.errors import HistoryError


class BettingReplay:
    """Follows a hand's betting; raises `fault` where chips are missing, not for every rule."""

    def __init__(self, stacks: "list[int]", fault: type[HistoryError]) -> None:
        self.left = list(stacks)
        self.forced: list[ForcedBet] = []
        self.actions: list[Action] = []
        self.street = 0
        self.price = 0
        """The highest bet of the betting round."""
        self.bets = [0] * len(stacks)
        self._fault = fault
        self._contested = [0] * len(stacks)
        """Chips of each seat that others have to match."""

    def post(self, seat: int, kind: ForcedKind, amount: int, *, is_dead: bool = False) -> None:
        """Post a blind or an ante; a dead one need not be matched. Raises the fault."""
        self._take(seat, amount, is_dead=is_dead)
        self.forced.append(ForcedBet(seat, kind, amount))
        if kind != "ante":
            self.bets[seat] += amount
            self.price = max(self.price, self.bets[seat])

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
            raise self._fault(f"seat {seat + 1} takes chips back")
        self._take(seat, added)
        if kind != "fold" and total < self.price and self.left[seat]:
            raise self._fault(f"seat {seat + 1} matches less than the bet, and is not all-in")
        self.bets[seat] = total
        self.price = max(self.price, total)
        is_all_in = self.left[seat] == 0 and added > 0
        self.actions.append(Action(seat, self.street, kind, total, added, is_all_in))

    def _take(self, seat: int, amount: int, *, is_dead: bool = False) -> None:
        if not 0 <= amount <= self.left[seat]:
            raise self._fault(f"seat {seat + 1} puts in more chips than it has")
        self.left[seat] -= amount
        if not is_dead:
            self._contested[seat] += amount
