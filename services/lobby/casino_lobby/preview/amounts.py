"""Chips in text, as the page writes them."""

_DECIMALS = 2


def chips(amount: float) -> str:
    """Return an amount with thousands separators.

    >>> chips(1953), chips(0.5), chips(12.0)
    ('1,953', '0.50', '12')
    """
    return f"{amount:,.0f}" if amount == int(amount) else f"{amount:,.{_DECIMALS}f}"


def signed(amount: float) -> str:
    """Return an amount with its sign.

    >>> signed(12), signed(-1953), signed(0)
    ('+12', '−1,953', '0')
    """  # noqa: RUF002  a true minus
    return "0" if amount == 0 else ("+" if amount > 0 else "−") + chips(abs(amount))  # noqa: RUF001
