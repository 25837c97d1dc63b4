"""Assertions of shared test code are rewritten, as in tests; what collecting has made is frozen."""

import gc

import pytest

pytest.register_assert_rewrite("support", "fuzz")


def pytest_collection_finish() -> None:
    """Spare every later collection of garbage a walk through some 600,000 objects of pytest."""
    gc.collect()
    gc.freeze()
