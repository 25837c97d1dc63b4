"""An earlier name of `support.processes.reserved_port`, for tests that still use it."""

from support.processes import reserved_port as free_port

__all__ = ["free_port"]
