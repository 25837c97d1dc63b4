"""Times as sites write them, by the names of their zones."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

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
