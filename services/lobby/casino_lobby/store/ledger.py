"""Double-entry ledger of a room's chips. Pure.

The cashier account stands for everything outside the room. Differences in a table's accounting are
posted to `discrepancy`, so that the entries of every event sum to zero and no error is hidden.
"""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, Literal, NamedTuple

from casino_contracts import TableEvent, Unit
from casino_contracts.numbers import MAX_SAFE

CASHIER = "cashier"
DISCREPANCY = "discrepancy"
BANK = "house"
"""Account of the bank, in games that are played against one."""
PLAYER = "player:"

_LONGEST_ID = 128

Kind = Literal["buy_in", "rebuy", "result", "cash_out"]


class LedgerEntry(NamedTuple):
    """The change of one account by one event."""

    account: str
    kind: Kind
    chips: int


class Ledger:
    """Balances of a room's accounts; a player's balance is its stack after each hand.

    >>> ledger = Ledger({})
    >>> ledger.balances
    {}
    """

    def __init__(self, balances: Mapping[str, int]) -> None:
        self._balances = {account: chips for account, chips in balances.items() if chips}

    @property
    def balances(self) -> dict[str, int]:
        """Non-zero balances by account, in chips; they sum to 0."""
        return dict(self._balances)

    def copy(self) -> "Ledger":
        """Return an independent copy."""
        return Ledger(self._balances)

    def book(self, event: TableEvent, unit: Unit) -> list[LedgerEntry]:
        """Book an event and return its entries, which sum to 0; none if it moves no chips.

        Payload fields that are missing or invalid (from third-party tables) are not booked.
        """
        payload = event.payload or {}
        match event.event_type, payload.get("kind"):
            case "player_registered", _:
                return self._buy("buy_in", payload, payload.get("stack"), unit)
            case "table_status", "rebought":
                return self._buy("rebuy", payload, payload.get("amount"), unit)
            case "table_status", "left":
                return self._leave(payload, unit)
            case "table_status", "closed":
                return self._close()
            case "hand_completed", _:
                return self._settle(payload, unit)
        return []

    def _buy(
        self, kind: Kind, payload: Mapping[str, Any], amount: object, unit: Unit
    ) -> list[LedgerEntry]:
        account, chips = _account(payload.get("playerId")), chips_of(amount, unit)
        if account is None or not chips:
            return []
        return self._post(kind, {account: chips, CASHIER: -chips})

    def _settle(self, payload: Mapping[str, Any], unit: Unit) -> list[LedgerEntry]:
        changes: dict[str, int] = {}
        for item in _dicts(payload.get("stacks")):
            account, stack = _account(item.get("playerId")), chips_of(item.get("stack"), unit)
            if account is not None and stack is not None:
                changes[account] = stack - self._balances.get(account, 0)
        bank = payload.get("house")
        if isinstance(bank, int | float) and not isinstance(bank, bool) and bank:
            won = chips_of(abs(bank), unit)
            if won is not None:
                changes[BANK] = won if bank > 0 else -won
        return self._post("result", changes)

    def _leave(self, payload: Mapping[str, Any], unit: Unit) -> list[LedgerEntry]:
        account, stack = _account(payload.get("playerId")), chips_of(payload.get("stack"), unit)
        if account is None or stack is None:
            return []
        return self._post("cash_out", {account: -self._balances.get(account, 0), CASHIER: stack})

    def _close(self) -> list[LedgerEntry]:
        leaving = {
            account: -chips
            for account, chips in self._balances.items()
            if account.startswith(PLAYER)
        }
        return self._post("cash_out", {**leaving, CASHIER: -sum(leaving.values())})

    def _post(self, kind: Kind, changes: Mapping[str, int]) -> list[LedgerEntry]:
        entries = [LedgerEntry(account, kind, chips) for account, chips in changes.items() if chips]
        if missing := -sum(entry.chips for entry in entries):
            entries.append(LedgerEntry(DISCREPANCY, kind, missing))
        for entry in entries:
            balance = self._balances.get(entry.account, 0) + entry.chips
            if balance:
                self._balances[entry.account] = balance
            else:
                del self._balances[entry.account]
        return entries


def player_id_of(value: object) -> str | None:
    """Return a player id of a payload, None if it is not a valid id."""
    is_id = isinstance(value, str) and 0 < len(value) <= _LONGEST_ID and "\0" not in value
    return str(value) if is_id else None


def _account(value: object) -> str | None:
    player_id = player_id_of(value)
    return None if player_id is None else PLAYER + player_id


def chips_of(amount: object, unit: Unit) -> int | None:
    """Return an amount of a payload in chips, None if it is not a valid amount."""
    if not isinstance(amount, int | float) or isinstance(amount, bool) or not isfinite(amount):
        return None
    try:
        chips = unit.chips(amount)
    except ValueError:
        return None
    return chips if 0 <= chips <= MAX_SAFE else None


def _dicts(value: object) -> Iterable[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()
