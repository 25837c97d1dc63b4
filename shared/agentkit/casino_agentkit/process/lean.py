"""Makes the processes of this project small; it is imported first, by their entry points alone.

Importing the kit changes nothing in a process of somebody else.
"""

import importlib
import sys
from typing import Any

from casino_agentkit.process.late_imports import forgo_tracing


def _import_structlog() -> None:
    """Import structlog without rich and greenlet: unused, they take 5 MB and 50 ms."""
    unused = {"rich", "greenlet"} - sys.modules.keys()
    hidden: dict[str, Any] = dict.fromkeys(unused)  # None: it is not found
    sys.modules.update(hidden)
    try:
        importlib.import_module("structlog")
    finally:
        for name in unused:
            del sys.modules[name]


forgo_tracing()
_import_structlog()
