"""A login's play chips: balance and transactions, as A2G writes them."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from casino_gateway.a2g.a2g_codes import milliseconds
from casino_gateway.a2g.a2g_frames import invalid
from casino_gateway.domain.booking import Transaction
from casino_gateway.domain.login import Login
from casino_gateway.store.booking_rows import Bookings

CURRENCY = "play"
LIMIT = 50
MOST = 200

CONFIG = {
    "currency": CURRENCY,
    "isPlayMoney": True,
    "chainId": None,
    "depositAddress": None,
    "depositsEnabled": False,
    "withdrawalsEnabled": False,
}


class Wallet:
    """The bookings of logins. All methods raise StoreFailed."""

    def __init__(self, bookings: Bookings) -> None:
        self._bookings = bookings

    async def balance(self, login: Login) -> dict[str, Any]:
        locked = amount(await self._bookings.balance(login.login_id))
        return {"available": 0, "locked": locked, "currency": CURRENCY}

    async def transactions(self, login: Login, period: "Period") -> dict[str, Any]:
        """Return a page of a login's transactions, newest first."""
        page = await self._bookings.page(
            login.login_id,
            start=period.start,
            end=period.end,
            limit=period.limit,
            offset=period.offset,
        )
        return {
            "transactions": [_transaction(each) for each in page.transactions],
            "total": page.total,
            "limit": period.limit,
            "offset": period.offset,
        }


class Period:
    """Which transactions are asked for. Raises A2gRefused with the parameter that is wrong."""

    def __init__(self, parameters: dict[str, str]) -> None:
        self.start = _time(parameters, "startDate")
        self.end = _time(parameters, "endDate")
        self.limit = _number(parameters, "limit", LIMIT, 1, MOST)
        self.offset = _number(parameters, "offset", 0, 0, 2**53)


def amount(chips: Decimal) -> int | float:
    """Return chips as a JSON number.

    >>> amount(Decimal("4.0")), amount(Decimal("0.25"))
    (4, 0.25)
    """
    return int(chips) if chips == chips.to_integral_value() else float(chips)


def _transaction(stored: Transaction) -> dict[str, Any]:
    return {
        "txId": stored.tx_id,
        "type": stored.booking.kind,
        "amount": amount(stored.booking.amount),
        "balance": amount(stored.balance),
        "tableId": stored.table_id,
        "gameType": stored.game_type,
        "timestamp": milliseconds(stored.at),
        "onChainTxHash": None,
    }


def _number(parameters: dict[str, str], name: str, default: int, least: int, most: int) -> int:
    text = parameters.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < len(str(2**53)) + 1):
        raise invalid(f"{name}: must be a whole number from {least} to {most}")
    number = int(text)
    if not least <= number <= most:
        raise invalid(f"{name}: must be a whole number from {least} to {most}")
    return number


def _time(parameters: dict[str, str], name: str) -> datetime | None:
    """Return a date, a time of ISO 8601, or milliseconds since 1970."""
    text = parameters.get(name)
    if text is None:
        return None
    try:
        if text.isascii() and text.isdigit():
            return datetime.fromtimestamp(int(text) / 1000, UTC)
        at = datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError) as error:
        raise invalid(f"{name}: must be a time such as 2026-03-28T12:00:00Z") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)
