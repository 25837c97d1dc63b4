"""gRPC's thread ends with the tests that used it: while it is there, the time of others is real."""

import gc
import threading
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def grpc_has_ended() -> Iterator[None]:
    yield
    if any("_poll_wrapper" in thread.name for thread in threading.enumerate()):
        gc.collect()  # its servers and channels are cycles, and it lives as long as they
