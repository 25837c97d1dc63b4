"""Amounts and times as sites write them: currencies, decimal commas, names of zones. Pure."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

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


_PLACES = {
    "America/New_York": "ET EST EDT",
    "America/Chicago": "CT CDT",
    "America/Denver": "MT MST MDT",
    "America/Los_Angeles": "PT PST PDT",
    "America/Halifax": "AT ADT",
    "America/Sao_Paulo": "BRT BRST",
    "America/Argentina/Buenos_Aires": "ART",
    "Europe/London": "BST",
    "Europe/Lisbon": "WET WEST",
    "Europe/Paris": "CET CEST",
    "Europe/Athens": "EET EEST",
    "Europe/Moscow": "MSK MSD",
    "Asia/Tokyo": "JST",
    "Australia/Sydney": "AEST AEDT",
    "Pacific/Auckland": "NZT NZST NZDT",
}
"""Sites write the names of summer and winter alike, so each means the time of its place.

Names of several places, such as IST and CST, are unknown.
"""
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names.split()}
_FIRST = ("UTC", "GMT", "ET")
_WRITTEN = re.compile(
    r"\b(\d{4})[/-](\d\d?)[/-](\d\d?)(?: -)? (\d\d?):(\d\d)(?::(\d\d))?"
    r"(?: \(?([A-Z]\w{1,5}(?:[+-]\d\d?)?\b))?",
    re.ASCII,
)
_OFFSET = re.compile(r"(?:UTC|GMT)([+-]\d\d?)")


def time_in(head: str) -> datetime | None:
    """Return the time of a hand's first line, or None if its zone is unknown.

    Of several the one in UTC counts, and then that of the eastern United States, which PokerStars
    writes in brackets. A time without a zone, as of GGPoker, is taken for UTC.
    """
    found = {match[7] or "": match for match in _WRITTEN.finditer(head)}
    for name in sorted(found, key=lambda name: (*_FIRST, name).index(name)):
        zone = UTC if not name else _zone(name)
        if zone is not None and (name or len(found) == 1):
            return _time(found[name], zone)
    return None


def eastern(time: datetime) -> datetime:
    """Return the time of the eastern United States, as trackers expect it."""
    return time.astimezone(ZoneInfo(_PLACE_OF["ET"]))


def _zone(name: str) -> tzinfo | None:
    if name in {"UTC", "GMT"}:
        return UTC
    if offset := _OFFSET.fullmatch(name):
        hours = int(offset[1])
        return timezone(timedelta(hours=hours)) if abs(hours) < 24 else None  # noqa: PLR2004
    try:
        return ZoneInfo(_PLACE_OF[name]) if name in _PLACE_OF else None
    except ZoneInfoNotFoundError:  # neither the system nor the package tzdata has it
        return None


def _time(written: re.Match[str], zone: tzinfo) -> datetime | None:
    year, month, day, hour, minute, second = (int(part or 0) for part in written.groups()[:6])
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
