"""Texts as others write them: their encoding, and which site wrote what cannot be read. Pure."""

import re

from casino_histories.errors import UnreadableHistory

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
