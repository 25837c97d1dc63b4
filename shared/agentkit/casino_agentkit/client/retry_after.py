"""The `Retry-After` header of HTTP, as far as it is a number of seconds. Pure."""

from typing import Final

_LONGEST_S: Final = 86_400
_DIGITS: Final = len(str(_LONGEST_S))


def retry_after_s(header: str) -> float | None:
    """Return the seconds after which a call may be repeated; None for a date or anything else.

    >>> retry_after_s("5"), retry_after_s(""), retry_after_s("Fri, 31 Dec 1999 23:59:59 GMT")
    (5.0, None, None)
    """
    text = header.strip()
    if not text.isascii() or not text.isdecimal():
        return None
    return float(_LONGEST_S if len(text) > _DIGITS else min(int(text), _LONGEST_S))
