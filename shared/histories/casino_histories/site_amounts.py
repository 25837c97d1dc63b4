"""Amounts as sites write them: with a currency, groups of digits, a point or a comma. Pure."""

import re
from decimal import Decimal

from casino_histories.completed_hand import decimal_of
from casino_histories.errors import UnreadableHistory

# Each takes time linear in its line: what repeats ends before where the next try begins.
_NUMBER = r"(?:\d++(?:[.,'\u2019]\d++|[ \u00a0\u202f]\d{3}(?!\d))*+|[.,]\d++)"
AMOUNT = (
    r"(?:[^\d\s()\[\].,+a-z-]{1,4}[ \u00a0]?)?"
    rf"({_NUMBER})"
    r"(?:[ \u00a0]?(?:[€$£¥₹₽₺]|[A-Z]{3}\b|kr\b|zł))?"
)
"""A pattern of an amount, with its number as the only group."""

_STATED = re.compile(
    rf"^Seat \d{{1,3}}: .*\({AMOUNT} in chips|^Total pot {AMOUNT}|Limit \({AMOUNT}/{AMOUNT}",
    re.MULTILINE,
)
"""Amounts of lines whose words the players do not choose."""
_GAPS = re.compile(r"[ \u00a0\u202f'\u2019]")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}")
_GROUP = 3
_ENGLISH, _EUROPEAN = ".", ","
"""How decimals begin; the other sign is between groups of digits."""


class SiteAmounts:
    """Reads amounts; those of a file say which sign its decimals begin with."""

    def __init__(self, text: str, otherwise: "SiteAmounts | None" = None) -> None:
        """Learn from a hand, or a whole file; `otherwise` counts where the hand says nothing."""
        numbers = (part for match in _STATED.finditer(text) for part in match.groups() if part)
        signs = {_decimal_sign(_GAPS.sub("", number)) for number in numbers} - {""}
        self.signs: set[str] = signs or (otherwise.signs if otherwise else signs)

    def of(self, number: str) -> Decimal:
        """Return the amount of a number that `AMOUNT` found; raises UnreadableHistory.

        >>> SiteAmounts("Total pot €1.250,50 | Rake €0").of("1.250"), SiteAmounts("").of("1,250")
        (Decimal('1250'), Decimal('1250'))
        """
        plain = _GAPS.sub("", number)
        sign = _decimal_sign(plain) or self._sign_of(plain)
        grouped, _, decimals = plain.partition(sign)
        groups = _EUROPEAN if sign == _ENGLISH else _ENGLISH
        whole = grouped.replace(groups, ",")
        if "," in whole:
            if _GROUPED.fullmatch(whole) is None or groups in decimals:
                raise UnreadableHistory(f"{number[:40]!r} is no amount")
            whole = whole.replace(",", "")
        return decimal_of(f"{whole or 0}.{decimals}" if decimals else whole)

    def _sign_of(self, number: str) -> str:
        """Return the sign of decimals for a number that does not say it, such as `1.250`."""
        if "." not in number and "," not in number:
            return _ENGLISH
        if len(self.signs) == 1 and not ("," in number and _EUROPEAN in self.signs):
            return next(iter(self.signs))
        if "," in number and not self.signs:
            return _ENGLISH  # no site writes three decimals
        raise UnreadableHistory(
            f"{number[:40]!r} is with or without decimals: no other amount says which"
        )


def _decimal_sign(number: str) -> str:
    """Return `.` or `,`, or nothing where a number does not say which its decimals begin with."""
    points, commas = number.count("."), number.count(",")
    if points and commas:
        return max(".,", key=number.rfind)
    if points + commas > 1:
        return _EUROPEAN if points else _ENGLISH
    whole, sign, decimals = number.partition("." if points else ",")
    if not sign or (len(decimals) == _GROUP and 0 < len(whole) <= _GROUP and whole != "0"):
        return ""
    return sign
