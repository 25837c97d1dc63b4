"""Read a file of hands, whatever of the formats it has."""

from collections.abc import Iterator

from casino_histories.errors import UnreadableHistory
from casino_histories.hand import HandHistory
from casino_histories.reading.ohh import read_ohh
from casino_histories.reading.phh import read_phhs
from casino_histories.reading.pokerstars import read_pokerstars

_HEAD = 4_000


def read_hands(content: bytes) -> Iterator[HandHistory]:
    """Yield the hands of a file in PHH, PokerStars text, or Open Hand History.

    Raises UnreadableHistory for another format, or at a hand that cannot be read: with its line.
    """
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UnreadableHistory("the file is no text in UTF-8") from error
    head = text[:_HEAD].lstrip()
    if head.startswith(("{", "[{", "[\n", "[[")):
        return read_ohh(text)
    if head.startswith("PokerStars "):
        return read_pokerstars(text)
    if "variant" in head:
        return read_phhs(text)
    raise UnreadableHistory(
        "the format is none of PHH (.phh, .phhs), PokerStars text and Open Hand History (.ohh)"
    )
