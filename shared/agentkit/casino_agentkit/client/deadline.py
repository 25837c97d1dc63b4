"""Type of the timeout context of calls."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

Deadline = Callable[[float], AbstractAsyncContextManager[Any]]
"""Takes seconds, returns a context that raises TimeoutError after them, as asyncio.timeout does."""
