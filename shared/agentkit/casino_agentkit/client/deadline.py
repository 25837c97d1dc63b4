"""What ends a call that takes too long."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

Deadline = Callable[[float], AbstractAsyncContextManager[Any]]
"""Given seconds, returns a block that raises TimeoutError when it takes longer: asyncio.timeout."""
