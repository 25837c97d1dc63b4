"""Earlier names of `support.casino.casino`, for tests that still use them."""

from support.casino.casino import GAME_RULES, ProcessCasino, process
from support.casino.casino import process_casino as live_casino
from support.casino.members import AT_ONCE, ENVIRONMENT, GRACE

__all__ = [
    "AT_ONCE", "ENVIRONMENT", "GAME_RULES", "GRACE", "ProcessCasino", "live_casino", "process",
]  # fmt: skip
