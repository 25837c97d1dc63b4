"""What holds for every test: rewritten assertions, Hypothesis without clocks, frozen garbage."""

import gc

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")  # a loaded machine is slow, and no test is a measurement
pytest.register_assert_rewrite("support", "fuzz")


def pytest_collection_finish() -> None:
    """Spare every later collection of garbage a walk through some 600,000 objects of pytest."""
    gc.collect()
    gc.freeze()
