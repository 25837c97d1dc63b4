"""What tests need of the machine: a missing part skips a test, in CI it fails it."""

import os
from typing import NoReturn

import pytest


def unavailable(reason: str) -> NoReturn:
    """Skip on a developer's machine, fail in CI."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
