"""How others write texts, amounts and times: encodings, sites, currencies, zones. Pure."""

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


_BINARY = {
    b"PK\x03\x04": "a ZIP archive (or .xlsx): unpack it",
    b"\x1f\x8b": "a gzip archive: unpack it",
    b"7z\xbc\xaf": "a 7z archive: unpack it",
    b"Rar!": "a RAR archive: unpack it",
    b"PAR1": "a Parquet file, which is for analysis: export `phh` to read hands again",
    b"%PDF": "a PDF document: save the hands as text",
    b"SQLite format 3": "a database: export its hands as text",
    b"\xd0\xcf\x11\xe0": "an old Office document: save the hands as text",
    b"\x89PNG": "a picture: save the hands as text",
}
_BYTES = 4_000
"""Of a file, that tell its encoding and its site."""
_MANY = 4
"""Of NULs: one byte in so many is none of UTF-8."""

_SITES = {
    "888poker (Pacific)": r"888poker|\bCassava\b|\bPacific Poker",
    "Winamax": r"^Winamax Poker - ",
    "Bovada, Bodog or Ignition": r"^(?:Bovada|Bodog|Ignition)\b.{0,40}Hand ?#",
    "iPoker": r"<session sessioncode=",
    "Full Tilt Poker, in the format of before 2016": r"^Full ?Tilt ?Poker\b.{0,20}Game #"
    r"\d{1,30}:(?!.{0,120}Limit \()",
    "Betfair Poker": r"^\*{3,9} ?Betfair Poker Hand History",
    "Party Poker": r"^\*{3,9} ?Hand History [Ff]or Game |^Game #\d{1,30} starts|^#Game No :",
    "America's Cardroom (WPN)": r"^Game Hand #|^Game started at: |^Hand #\d{1,30} - \w",
    "BetOnline": r"^(?:BetOnline Poker|PayNoRake|GearPoker|ActionPoker\S{0,9}) Game #",
    "Unibet (Relax)": r"^Game #\d{1,30}: Table .{0,80}Banzai|\b[Uu]nibet\b|\bRelax Gaming\b",
    "Ongame": r"^\*{3,9} History for hand ",
    "Merge": r"<game id=\"\d{1,30}-\d{1,30}\"|<description type=\"",
    "Microgaming": r"PRIMA\.DAT|<Game (?:hhversion|id)=",
    "Boss Media": r"<HISTORY ID=",
    "Entraction": r"^Game # \d{1,30} - ",
    "Everest": r"<SESSION time=|<HAND time=|^EverestPoker Game #",
    "Everleaf": r"^Everleaf Gaming Game #|^\*{3,9} Hand history for game #",
    "Enet": r"^Game #\d{1,30}: .{0,80} - %\d",
    "Absolute Poker or UltimateBet": r"^Stage #\d",
    "Cake Poker": r"^.{0,3}Hand#\w{1,30} - ",
    "PKR": r"^Starting Hand #\d|^Table #\d{1,30} - ",
    "KingsClub": r"^#\d{1,30}: .{0,60} - \d",
    "Poker Mavens": r"^Hand #\d{1,20}-\d{1,9} - ",
    "a site in PokerTracker's own format": r"^(?:MERGE_)?GAME #\d|^\*\* Game ID \d",
}
"""Begins or words of the texts of sites, the more certain ones first."""
_LINE = re.compile("|".join(f"(?:{begin})" for begin in _SITES.values()))
_OTHERS = {
    r"^(?:[\w ]{0,30} )?Tournament (?:#\d{1,20}, |Summary )|^PokerTracker \d Tournament": "the"
    " summary of a tournament, which has no hands: take the file of its hands",
    r"PokerStars": "text of PokerStars without the first line of a hand in English, such as"
    " `PokerStars Hand #1:  Hold'em No Limit ($1/$2 USD)`: if it is in another language, set that"
    " of the hand histories to English, and ask for the hands again",
    r"^\"?entry\"?,\"?at\"?,\"?order\"?|-- starting hand #": "a log of Poker Now: convert it to"
    " PokerStars' text or Open Hand History",
    r"^hand_id,table,hand,": "a table of this program (CSV): export `phh` to read hands again",
    r"<html\b|<!DOCTYPE html": "a page of the web (HTML): save the hands as text",
}
"""What else people have, and the way out of each."""
_CONVERT = (
    "convert it, for example with a hand tracker's export, to PokerStars' text or Open Hand History"
)


def decoded(content: bytes) -> str:
    r"""Return a file's text, with `\n` at the ends of its lines; raises UnreadableHistory.

    It is UTF-16 with its mark or where every other byte is NUL, else UTF-8, and each line that is
    none Windows-1252. Marks of joined files and the NULs of a crash are left out.

    >>> decoded(b"\xef\xbb\xbfZo\xc3\xab\r\nZo\xeb \x80")
    'Zoë\nZoë €'
    """
    for begin, what in _BINARY.items():
        if content.startswith(begin):
            raise UnreadableHistory(f"it is no text but {what}")
    text = content.decode(wide, "replace") if (wide := _wide(content)) else _narrow(content)
    text = text.replace("\ufeff", "").replace("\0", "")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _wide(content: bytes) -> str:
    """Return the name of UTF-16's order of bytes, or nothing for a text in another encoding."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    head = content[:_BYTES]
    little, big = head[1::2].count(0), head[::2].count(0)
    if max(little, big) * _MANY < len(head) or min(little, big) * _MANY > max(little, big):
        return ""
    return "utf-16-le" if little > big else "utf-16-be"


def _narrow(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return "\n".join(map(_line, content.split(b"\n")))


def _line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def other_site(text: str) -> str:
    """Return the site whose own format a text has, which cannot be read, or nothing."""
    head = text[:_BYTES]
    found = (site for site, begin in _SITES.items() if re.search(begin, head, re.MULTILINE))
    return next(found, "")


def begins_other(line: str) -> bool:
    """Return whether a line begins a hand in another site's own format."""
    return _LINE.match(line) is not None


def refusal(text: str) -> UnreadableHistory:
    """Return why a text without a hand cannot be read: the site found in it, and a way out."""
    head = text[:_BYTES]
    if site := other_site(text):
        return UnreadableHistory(f"it has the hands of {site}, which are not read: {_CONVERT}")
    for begin, what in _OTHERS.items():
        if re.search(begin, head, re.MULTILINE):
            return UnreadableHistory(f"it is {what}")
    first = next((line.strip() for line in head.split("\n") if line.strip()), "")
    begin = f"begins with {first[:40]!r}" if first else "is empty"
    return UnreadableHistory(
        "the format is none of PHH (.phh, .phhs), PokerStars or GGPoker text, and Open Hand"
        f" History (.ohh): it {begin}"
    )
