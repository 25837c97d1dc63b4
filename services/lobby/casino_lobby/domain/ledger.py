"""Double-entry ledger of a room's chips, a fold of its events. Pure.

The cashier account stands for everything outside the room. Differences in a table's accounting are
posted to `discrepancy`, so that the entries of every event sum to zero and no error is hidden.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from casino_contracts import Unit
from casino_contracts.events.content import (
    EventContent,
    HandCompleted,
    PlayerRegistered,
    StatusChanged,
)
from casino_contracts.numbers import MAX_SAFE

CASHIER = "cashier"
DISCREPANCY = "discrepancy"
BANK = "house"
PLAYER = "player:"

Kind = Literal["buy_in", "rebuy", "result", "cash_out"]


class LedgerEntry(NamedTuple):
    """The change of one account by one event."""

    account: str
    kind: Kind
    chips: int


@dataclass
class Ledger:
    """Balances of a room's accounts; a player's balance is its stack after each hand.

    >>> Ledger({"player:p1": 200, "cashier": -200}).balances
    {'player:p1': 200, 'cashier': -200}
    """

    balances: dict[str, int] = field(default_factory=dict)
    """Non-zero balances by account, in chips; they sum to 0."""

    def book(self, content: EventContent | None, unit: Unit) -> list[LedgerEntry]:
        """Book what an event says and return the entries, which sum to 0.

        None if it moves no chips; fields that cannot be read are not booked.
        """
        match content:
            case PlayerRegistered(seat=seat):
                return self._buy("buy_in", seat.player_id, seat.stack, unit)
            case HandCompleted():
                return self._settle(content, unit)
            case StatusChanged(kind="closed"):
                return self._close()
            case StatusChanged(kind="rebought" | "cashed_out" as kind, player_id=str(player_id)):
                return (
                    self._buy("rebuy", player_id, content.amount, unit)
                    if kind == "rebought"
                    else self._pay_out(player_id, content.amount, unit)
                )
            case StatusChanged(kind="left", player_id=str(player_id)):
                return self._leave(player_id, content.stack, unit)
        return []

    def _buy(
        self, kind: Kind, player_id: str, amount: float | None, unit: Unit
    ) -> list[LedgerEntry]:
        chips = chips_of(amount, unit)
        if not chips:
            return []
        return self._post(kind, {PLAYER + player_id: chips, CASHIER: -chips})

    def _pay_out(self, player_id: str, amount: float | None, unit: Unit) -> list[LedgerEntry]:
        chips = chips_of(amount, unit)
        if not chips:
            return []
        return self._post("cash_out", {PLAYER + player_id: -chips, CASHIER: chips})

    def _settle(self, content: HandCompleted, unit: Unit) -> list[LedgerEntry]:
        changes: dict[str, int] = {}
        for after in content.stacks:
            account, stack = PLAYER + after.player_id, chips_of(after.stack, unit)
            if stack is not None:
                changes[account] = stack - self.balances.get(account, 0)
        if content.house:
            won = chips_of(abs(content.house), unit)
            if won is not None:
                changes[BANK] = won if content.house > 0 else -won
        return self._post("result", changes)

    def _leave(self, player_id: str, amount: float | None, unit: Unit) -> list[LedgerEntry]:
        account, stack = PLAYER + player_id, chips_of(amount, unit)
        if stack is None:
            return []
        return self._post("cash_out", {account: -self.balances.get(account, 0), CASHIER: stack})

    def _close(self) -> list[LedgerEntry]:
        leaving = {
            account: -chips
            for account, chips in self.balances.items()
            if account.startswith(PLAYER)
        }
        return self._post("cash_out", {**leaving, CASHIER: -sum(leaving.values())})

    def _post(self, kind: Kind, changes: Mapping[str, int]) -> list[LedgerEntry]:
        entries = [LedgerEntry(account, kind, chips) for account, chips in changes.items() if chips]
        if missing := -sum(entry.chips for entry in entries):
            entries.append(LedgerEntry(DISCREPANCY, kind, missing))
        for entry in entries:
            balance = self.balances.get(entry.account, 0) + entry.chips
            if balance:
                self.balances[entry.account] = balance
            else:
                del self.balances[entry.account]
        return entries


def chips_of(amount: float | None, unit: Unit) -> int | None:
    if amount is None:
        return None
    try:
        chips = unit.chips(amount)
    except ValueError:
        return None
    return chips if 0 <= chips <= MAX_SAFE else None


def pot_of(amounts: Sequence[float | None], unit: Unit) -> int | None:
    pots = [chips_of(amount, unit) for amount in amounts]
    valid = [pot for pot in pots if pot is not None]
    total = sum(valid)
    return total if valid and len(valid) == len(pots) and total <= MAX_SAFE else None
