"""How much memory an action leaves behind, as Python counts it."""

import gc
import tracemalloc
from collections.abc import Callable


def kept_bytes(action: Callable[[], object]) -> int:
    """Return by how many bytes an action's objects that still exist exceed those before it."""
    gc.collect()
    tracemalloc.start()
    try:
        action()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
