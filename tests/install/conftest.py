"""Environments are built again only after a change of what they are built from; in CI always."""

import os
import sys
from collections.abc import Generator
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INPUTS = (ROOT / "pyproject.toml", ROOT / "constraints.txt")


def inputs() -> str:
    """Return the digest of the inputs, and of the Python."""
    return sha256(b"".join([*map(Path.read_bytes, INPUTS), sys.version.encode()])).hexdigest()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that has passed with the same inputs, before its fixtures build anything."""
    if not os.environ.get("CI") and item.config.cache.get(_key(item), "") == inputs():
        pytest.skip("passed before: pyproject.toml and constraints.txt have not changed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note the inputs with which a test has passed."""
    report = yield
    if call.when == "call" and report.passed:
        item.config.cache.set(_key(item), inputs())
    return report


def _key(item: pytest.Item) -> str:
    return f"install/{item.name}"
