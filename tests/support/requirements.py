"""What tests need of the machine, and of its time.

A missing part skips a test, in CI it fails it. With `CASINO_LONG=1` tests that prove the more the
longer they play, play as much as docs/protocol.md says; otherwise they play a part of it.
"""

import os
from typing import NoReturn

import pytest

IS_LONG = os.environ.get("CASINO_LONG") == "1"


def unavailable(reason: str) -> NoReturn:
    """Skip on a developer's machine, fail in CI."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason, allow_module_level=True)


def hands(short: int, long: int) -> int:
    """Return how many hands to play."""
    return long if IS_LONG else short
