"""Earlier names of `support.casino.members`, for tests that still use them."""

from support.casino.members import Log, Member
from support.processes import PATIENCE_S as DEADLINE_S

__all__ = ["DEADLINE_S", "Log", "Member"]
