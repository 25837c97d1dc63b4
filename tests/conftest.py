"""What holds for every test: tiers, signals, rewritten assertions, Hypothesis without clocks."""

import gc
import signal
import threading
from collections.abc import Iterator

import casino_agentkit.process.lean  # noqa: F401  before what imports structlog or the SDK
import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["plugins.budget", "plugins.tiers"]

# A shell has what it starts in the background ignore Ctrl-C, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")  # a loaded machine is slow, and no test is a measurement
pytest.register_assert_rewrite("support", "fuzz")


def pytest_collection_finish() -> None:
    """Spare every later collection of garbage a walk through some 600,000 objects of pytest."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def grpc_has_ended() -> Iterator[None]:
    """End gRPC's thread with the module that used it: beside it, the time of others is real."""
    yield
    if any("_poll_wrapper" in thread.name for thread in threading.enumerate()):
        gc.collect()  # its servers and channels are cycles, and it lives as long as they
