"""How much is played by tests that prove the more the longer they play.

With `CASINO_LONG=1` they play as much as docs/interoperability.md says, otherwise a part of it.
"""

import os

IS_LONG = os.environ.get("CASINO_LONG") == "1"


def hands(short: int, long: int) -> int:
    """Return how many hands to play."""
    return long if IS_LONG else short
