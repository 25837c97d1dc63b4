"""Chips as short texts: exact where there is room, else with a unit (1K2 is 1,2xx)."""

MOST = 10**18
"""Larger amounts are shown as this one."""

_UNITS = "KMGTPE"
_THOUSAND = 1000


def short(amount: int, room: int) -> str:
    """Return an amount in at most `room` characters, rounded towards 0.

    A unit stands where the decimal point would be.

    >>> short(980, 3), short(1234, 3), short(123_456, 3), short(-2_500_000, 4)
    ('980', '1K2', '0M1', '-2M5')
    """
    if room <= 0:
        return ""
    if amount < 0:
        return f"-{short(-amount, room - 1)}"
    amount = min(amount, MOST)
    exact = str(amount)
    if len(exact) <= room:
        return exact
    size = 1
    for unit in _UNITS:
        size *= _THOUSAND
        whole, rest = divmod(amount, size)
        text = f"{whole}{unit}"
        if len(text) <= room:
            digits = f"{rest:0{len(str(size)) - 1}d}"[: room - len(text)] if rest else ""
            return text + digits
    return "+" * room
